/** Elements, built without markup: text stays text, and no attribute is a script or a style. */

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Record<string, any>} Attributes "on..." are listeners; true is an empty attribute; false and null are none */

/**
 * @param {Element} element
 * @param {Attributes} attributes
 */
export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") {
      element.addEventListener(name.slice(2), value);
    } else if (value === false || value === null || value === undefined) {
      element.removeAttribute(name);
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
}

/**
 * @param {Element} parent
 * @param {Child[]} children
 */
function append(parent, children) {
  for (const child of children) {
    if (child instanceof Node) {
      parent.append(child);
    } else if (child !== null && child !== undefined && child !== false) {
      parent.append(String(child));
    }
  }
}

/**
 * An HTML element.
 *
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  set(element, attributes);
  append(element, children);
  return element;
}

/**
 * An SVG element.
 *
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function s(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  set(element, attributes);
  append(element, children);
  return element;
}

/**
 * The element of index.html with an id.
 *
 * @param {string} id
 * @returns {HTMLElement}
 */
export function part(id) {
  const found = document.getElementById(id);
  if (found === null) {
    throw new Error(`The page has no element ${id}.`);
  }
  return found;
}

/**
 * Writes text only where it changed, so that nothing is announced or laid out twice.
 *
 * @param {Element} element
 * @param {string} text
 */
export function write(element, text) {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

/** Is the reader typing, or choosing, in a field of a form? @param {EventTarget | null} target */
export function inField(target) {
  return target instanceof Element && target.closest("input:not([type=checkbox]), select, textarea") !== null;
}
