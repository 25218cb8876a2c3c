/** The address of the page: boards as compressed JSON in base64, and the fragments of lessons and exercises. */

/** @import { Board } from "../base/types.js" */

const PREFIX = "#board=";

/**
 * Compresses or decompresses bytes.
 *
 * @param {BlobPart} bytes
 * @param {CompressionStream | DecompressionStream} stream
 * @returns {Promise<Uint8Array>}
 */
async function pipe(bytes, stream) {
  const piped = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(piped).arrayBuffer());
}

/**
 * A board as the fragment of an address.
 *
 * @param {Board} board
 * @returns {Promise<string>} the fragment, with its "#"
 */
export async function toLink(board) {
  const packed = await pipe(JSON.stringify(board), new CompressionStream("deflate-raw"));
  let text = "";
  for (const byte of packed) {
    text += String.fromCharCode(byte);
  }
  return PREFIX + btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/**
 * Reads the fragment of a lesson or an exercise, such as "#lesson=online.3" or "#exercise=run-it.7". Null if it is neither.
 *
 * @param {string} fragment
 */
export function lessonOf(fragment) {
  const [, kind, id, number] = /^#(lesson|exercise)=([\w-]+)\.(\d{1,6})$/.exec(fragment) ?? [];
  return kind && id ? { kind, id, number: Number(number) } : null;
}

/**
 * Reads the fragment of a board.
 *
 * @param {string} fragment
 * @returns {Promise<string | null>} the JSON text of the board; null if the fragment contains none
 */
export async function fromLink(fragment) {
  if (!fragment.startsWith(PREFIX)) {
    return null;
  }
  try {
    const text = atob(fragment.slice(PREFIX.length).replaceAll("-", "+").replaceAll("_", "/"));
    const packed = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    return new TextDecoder().decode(await pipe(packed, new DecompressionStream("deflate-raw")));
  } catch {
    return null;
  }
}
