/** Requests to the lab's server, with JSON in both directions. */

/** The server refused a request. The message is a sentence for the reader. */
export class RefusedError extends Error {}

/** The server did not answer: it has stopped, or has not started yet. */
class NoAnswerError extends RefusedError {}

const SLOW_AFTER = 1000; // milliseconds after which the reader may stop a request
const RETRY_AFTER = 3000; // milliseconds before a request without an answer is sent again

/**
 * Sends a request and returns the response. Throws RefusedError if the server refuses it or does not answer.
 *
 * @param {string} path
 * @param {unknown} [body] sent by POST; without a body the request is a GET
 * @param {AbortSignal} [signal]
 * @returns {Promise<Response>}
 */
export async function send(path, body, signal) {
  const post = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  let response;
  try {
    response = await fetch(path, { ...(body === undefined ? {} : post), signal });
  } catch (error) {
    if (signal?.aborted) {
      throw error;
    }
    throw new NoAnswerError("The lab's server does not answer. Is `rosenblatt lab` still running?");
  }
  if (!response.ok) {
    const reply = await response.json().catch(() => null);
    throw new RefusedError(reply?.error ?? `The server answered with status ${response.status}.`);
  }
  return response;
}

/**
 * Sends a request and returns the JSON of the response.
 *
 * @param {string} path
 * @param {unknown} [body]
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function ask(path, body, signal) {
  return (await send(path, body, signal)).json();
}

/**
 * @typedef {object} Handlers callbacks of a request
 * @property {(answer: any) => void} onAnswer
 * @property {(sentence: string) => void} onRefused
 * @property {(request: LatestRequest, slow: boolean) => void} onSlow called with true when the request becomes slow, and
 *   with false when it ends
 * @property {boolean} [retry] whether to send the request again while the server does not answer
 */

/** Requests to one path, one at a time. While a request runs, only the newest of the later ones is kept. */
export class LatestRequest {
  /**
   * @param {string} path
   * @param {Handlers} handlers
   */
  constructor(path, handlers) {
    this.path = path;
    this.handlers = handlers;
    /** @type {AbortController | null} the request that runs now */
    this.running = null;
    /** @type {{body: unknown} | null} the request that comes next */
    this.waiting = null;
    /** @type {number | undefined} */
    this.retryTimer = undefined;
  }

  /** @param {unknown} body */
  ask(body) {
    clearTimeout(this.retryTimer);
    this.waiting = { body };
    if (this.running === null) {
      void this.run();
    }
  }

  /** Sends the waiting requests until none is left. */
  async run() {
    while (this.waiting !== null) {
      const { body } = this.waiting;
      this.waiting = null;
      const controller = new AbortController();
      this.running = controller;
      const slowTimer = setTimeout(() => this.handlers.onSlow(this, true), SLOW_AFTER);
      try {
        const answer = await ask(this.path, body, controller.signal);
        if (!controller.signal.aborted) {
          this.handlers.onAnswer(answer);
        }
      } catch (error) {
        if (error instanceof RefusedError) {
          this.handlers.onRefused(error.message);
          if (error instanceof NoAnswerError && this.handlers.retry && this.waiting === null) {
            this.retryTimer = setTimeout(() => this.ask(body), RETRY_AFTER);
          }
        } else if (!controller.signal.aborted) {
          throw error;
        }
      } finally {
        clearTimeout(slowTimer);
        this.running = null;
        this.handlers.onSlow(this, false);
      }
    }
  }

  /** Aborts the request that runs, and drops the one that waits. */
  stop() {
    clearTimeout(this.retryTimer);
    this.waiting = null;
    this.running?.abort();
  }
}
