/** The board in the address of the page: JSON, deflated, in base64 for addresses. */

/** @import { Board } from "../base/types.js" */

const KEY = "#board=";

/**
 * @param {BlobPart} bytes
 * @param {CompressionStream | DecompressionStream} stream
 * @returns {Promise<Uint8Array>}
 */
async function through(bytes, stream) {
  const piped = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(piped).arrayBuffer());
}

/**
 * @param {Board} board
 * @returns {Promise<string>} the fragment, with its "#"
 */
export async function toLink(board) {
  const packed = await through(JSON.stringify(board), new CompressionStream("deflate-raw"));
  let text = "";
  for (const byte of packed) {
    text += String.fromCharCode(byte);
  }
  return KEY + btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/**
 * A lesson at a step, or an exercise with its number, as "#lesson=online.3" or "#exercise=run-it.7".
 *
 * @param {string} fragment
 */
export function lessonOf(fragment) {
  const [, kind, id, number] = /^#(lesson|exercise)=([\w-]+)\.(\d{1,6})$/.exec(fragment) ?? [];
  return kind && id ? { kind, id, number: Number(number) } : null;
}

/**
 * @param {string} fragment
 * @returns {Promise<string | null>} the JSON text of a board; null if the fragment holds none
 */
export async function fromLink(fragment) {
  if (!fragment.startsWith(KEY)) {
    return null;
  }
  try {
    const text = atob(fragment.slice(KEY.length).replaceAll("-", "+").replaceAll("_", "/"));
    const packed = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    return new TextDecoder().decode(await through(packed, new DecompressionStream("deflate-raw")));
  } catch {
    return null;
  }
}
