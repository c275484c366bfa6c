import { configDefaults, defineConfig } from "vitest/config";

// Pictures are taken where somebody names a folder for them (make screenshots); they test nothing.
const PICTURES = process.env["GALLERY_PICTURES"] ? [] : ["tests/pictures.test.ts"];

export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...PICTURES],
    globalSetup: ["tests/service.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
  },
});
