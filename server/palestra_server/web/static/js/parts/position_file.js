// @ts-check
// A position as a drawing of its own, which needs no style sheet.
import { saveFile } from "../dialogs.js";

const DRAWN = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "opacity", "font", "text-anchor", "dominant-baseline"];

/** Hands over what a board shows. @param {SVGElement} drawing @param {string} name of the file */
export function savePosition(drawing, name) {
  const copy = /** @type {SVGElement} */ (drawing.cloneNode(true));
  const [from, into] = [[...drawing.querySelectorAll("*")], [...copy.querySelectorAll("*")]];
  from.forEach((element, at) => {
    const style = getComputedStyle(element);
    for (const property of DRAWN) into[at].setAttribute(property, style.getPropertyValue(property));
    into[at].removeAttribute("class");
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  saveFile(name, new XMLSerializer().serializeToString(copy), "image/svg+xml");
}
