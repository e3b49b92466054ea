import { serveRequests } from "../src/index.ts";

/** Requests of the tests. */
export type FixtureRequest =
  | { kind: "echo"; text: string }
  | { kind: "throw"; message: string; code: number }
  | { kind: "block"; ms: number }
  | { kind: "exit" }
  | { kind: "unsendable" };

class CodedError extends Error {
  readonly code: number;
  constructor(message: string, code: number) {
    super(message);
    this.code = code;
  }
}

serveRequests<FixtureRequest, unknown>({
  handle(request) {
    switch (request.kind) {
      case "echo":
        return request.text;
      case "throw":
        throw new CodedError(request.message, request.code);
      case "block":
        // Without a load for other tests.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, request.ms);
        return "unblocked";
      case "exit":
        process.exit(1);
        break;
      case "unsendable":
        return () => undefined;
    }
  },
  serializeError: (error) => ({
    message: error instanceof Error ? error.message : String(error),
    details: error instanceof CodedError ? error.code : undefined,
  }),
});
