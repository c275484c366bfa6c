/** The script for `<script src>`: sets `window.lintel`, and `window.coreapi` for pages that expect it. */
import * as lintel from "./page.js";
import { legacyNames } from "./legacy.js";

Object.assign(globalThis, { lintel, coreapi: legacyNames(lintel) });
