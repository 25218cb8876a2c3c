/** Saving files: downloads, and the plane as an SVG or PNG picture. */

import { h, set } from "./dom.js";

/** Style properties that a picture needs without its style sheets. */
const STYLE_PROPERTIES = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap",
  "stroke-linejoin", "opacity", "font-family", "font-size", "font-style", "font-weight", "text-anchor", "paint-order", "visibility",
];

/** Offers a file as a download. @param {Blob} blob @param {string} name */
export function save(blob, name) {
  const address = URL.createObjectURL(blob);
  const link = h("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** A copy of a picture with its styles as attributes. @param {SVGSVGElement} svg @returns {SVGSVGElement} */
function standaloneCopy(svg) {
  const copy = /** @type {SVGSVGElement} */ (svg.cloneNode(true));
  const { width, height } = svg.getBoundingClientRect();
  const label = svg.getAttribute("aria-label")?.split(".")[0]; // without the description of the keys
  const own = { xmlns: "http://www.w3.org/2000/svg", role: "img", "aria-label": label };
  set(copy, { width, height, ...own, "aria-roledescription": null, tabindex: null, class: null });
  const [from, to] = [[...svg.querySelectorAll("*")], [...copy.querySelectorAll("*")]];
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    const copied = to[i];
    if (!copied) {
      return;
    }
    for (const name of STYLE_PROPERTIES) {
      const isPattern = name === "fill" && element.getAttribute("fill")?.startsWith("url(");
      if (!isPattern) {
        copied.setAttribute(name, style.getPropertyValue(name));
      }
    }
    set(copied, { class: null, tabindex: null, role: null, "aria-hidden": null, "aria-pressed": null });
  });
  copy.querySelector("[data-not-exported]")?.remove();
  return copy;
}

/** The plane as an SVG file. @param {SVGSVGElement} svg */
export function svgFile(svg) {
  const text = new XMLSerializer().serializeToString(standaloneCopy(svg));
  return new Blob([text], { type: "image/svg+xml" });
}

/** The plane as a PNG file. @param {SVGSVGElement} svg @param {number} times resolution, relative to the screen @returns {Promise<Blob>} */
export async function pngFile(svg, times) {
  const { width, height } = svg.getBoundingClientRect();
  const address = URL.createObjectURL(svgFile(svg));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = h("canvas", { width: Math.round(width * times), height: Math.round(height * times) });
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => {
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The picture could not be made."))), "image/png");
    });
  } finally {
    URL.revokeObjectURL(address);
  }
}
