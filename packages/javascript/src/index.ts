/** The client with the native format. */
export * from "./native.js";
