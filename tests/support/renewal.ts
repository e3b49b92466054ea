import { afterAll, vi } from "vitest";

/** The next test file of this process finds its globals and timers as they were, and imports its modules anew. */
afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  vi.resetModules();
});
