"""river and Vowpal Wabbit behind the framework of `rosenblatt serve`, without durability.

python -m benchmarks.serve.peers river PORT
"""

import json
import sys
from collections.abc import Callable
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

Learner = tuple[Callable[[Any], Any], Callable[[Any, Any], None]]


def river() -> Learner:
    from river import linear_model

    model = linear_model.Perceptron()

    def named(x: list[float]) -> dict[Any, float]:
        return dict(enumerate(x))

    return lambda x: model.predict_one(named(x)), lambda x, y: model.learn_one(named(x), y == "yes")


def vw() -> Learner:
    from vowpalwabbit import Workspace

    model = Workspace("--binary --quiet")

    def text(x: list[float]) -> str:
        return "| " + " ".join(f"{j}:{value}" for j, value in enumerate(x))

    return lambda x: model.predict(text(x)), lambda x, y: model.learn(f"{1 if y == 'yes' else -1} {text(x)}")


PEERS: dict[str, Callable[[], Learner]] = {"river": river, "vw": vw}


def app_of(learner: Learner) -> Starlette:
    """The application."""
    predict, learn = learner

    def learned(one: dict[str, Any]) -> dict[str, Any]:
        before = predict(one["x"])
        learn(one["x"], one["y"])
        return {"prediction": before}

    async def learn_some(request: Request) -> JSONResponse:
        body = await request.body()
        if body[:1] == b"[":
            return JSONResponse([learned(one) for one in json.loads(body)])
        return JSONResponse(learned(json.loads(body)))

    async def predict_some(request: Request) -> JSONResponse:
        return JSONResponse({"prediction": predict(json.loads(await request.body())["x"])})

    return Starlette(
        routes=[
            Route("/v1/models/m/learn", learn_some, methods=["POST"]),
            Route("/v1/models/m/predict", predict_some, methods=["POST"]),
        ]
    )


if __name__ == "__main__":  # with uvloop and httptools, as `rosenblatt serve`
    uvicorn.run(app_of(PEERS[sys.argv[1]]()), port=int(sys.argv[2]), log_config=None, access_log=False)
