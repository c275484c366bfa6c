/** As browser.ts, with the native format alone. */
import * as lintel from "./native.js";
import { legacyNames } from "./legacy.js";

Object.assign(globalThis, { lintel, coreapi: legacyNames(lintel) });
