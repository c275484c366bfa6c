/** The script for `<script src>`: sets `window.lintel`, and `window.coreapi` for pages that know this name. */
import * as lintel from "./index.js";
import { legacyNames } from "./legacy.js";

Object.assign(globalThis, { lintel, coreapi: legacyNames(lintel) });
