/** Questions to the server: JSON there and back, at most one of a kind on its way. */

/** What the server answers to a request it does not take; its message is a sentence for the reader. */
export class Refused extends Error {}

/** No answer at all: the server is gone, or not there yet. */
class Unanswered extends Refused {}

const SLOW = 1000; // milliseconds after which the reader may stop a question
const AGAIN = 3000; // milliseconds after which a server that did not answer is asked once more

/**
 * @param {string} path
 * @param {unknown} [body] asked by POST if given, by GET if not
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
    throw new Unanswered("The lab's server does not answer. Is `rosenblatt lab` still running?");
  }
  if (!response.ok) {
    const said = await response.json().catch(() => null);
    throw new Refused(said?.error ?? `The server answered with status ${response.status}.`);
  }
  return response;
}

/**
 * @param {string} path
 * @param {unknown} [body]
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function ask(path, body, signal) {
  return (await send(path, body, signal)).json();
}

/**
 * @typedef {object} Hearing what becomes of a question
 * @property {(answer: any) => void} answer
 * @property {(sentence: string) => void} refuse
 * @property {(question: Latest, slow: boolean) => void} wait called when it begins to be slow, and when it ends
 * @property {boolean} [patient] while the server is gone, it is asked again and again
 */

/** One kind of question. While one is on its way, only the newest of those that come after it waits. */
export class Latest {
  /**
   * @param {string} path
   * @param {Hearing} hearing
   */
  constructor(path, hearing) {
    this.path = path;
    this.hearing = hearing;
    /** @type {AbortController | null} */
    this.flight = null;
    /** @type {{body: unknown} | null} */
    this.waiting = null;
    /** @type {number | undefined} */
    this.timer = undefined;
  }

  /** @param {unknown} body */
  ask(body) {
    clearTimeout(this.timer);
    this.waiting = { body };
    if (this.flight === null) {
      void this.fly();
    }
  }

  async fly() {
    while (this.waiting !== null) {
      const { body } = this.waiting;
      this.waiting = null;
      const flight = new AbortController();
      this.flight = flight;
      const timer = setTimeout(() => this.hearing.wait(this, true), SLOW);
      try {
        const answer = await ask(this.path, body, flight.signal);
        if (!flight.signal.aborted) {
          this.hearing.answer(answer);
        }
      } catch (error) {
        if (error instanceof Refused) {
          this.hearing.refuse(error.message);
          if (error instanceof Unanswered && this.hearing.patient && this.waiting === null) {
            this.timer = setTimeout(() => this.ask(body), AGAIN);
          }
        } else if (!flight.signal.aborted) {
          throw error;
        }
      } finally {
        clearTimeout(timer);
        this.flight = null;
        this.hearing.wait(this, false);
      }
    }
  }

  /** Stops the question that is on its way, and forgets the one that waits. */
  stop() {
    clearTimeout(this.timer);
    this.waiting = null;
    this.flight?.abort();
  }
}
