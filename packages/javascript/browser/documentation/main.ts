/** The documentation page: choices of the reader, search, and requests that the client sends. */
import "./copying.js";
import "./languages.js";
import "./opening.js";
import "./searching.js";
import "./entering.js";
import "./trying.js";
import { reveal } from "./page.js";

reveal(document);
if (matchMedia("(max-width: 60rem)").matches) document.querySelector("details.operations")?.removeAttribute("open");
