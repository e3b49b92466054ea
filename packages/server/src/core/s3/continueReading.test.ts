import { describe, expect, it } from "vitest";
import { continueReading } from "./continueReading.ts";

const TIMEOUT = Object.assign(new Error("the request socket timed out"), { name: "TimeoutError" });

interface CutOffResponse {
  text: string;
  error?: Error;
}

/** Reads content whose responses are cut off by errors. Returns what was received, and from where it was requested. */
async function read(responses: readonly CutOffResponse[]) {
  const requests: number[] = [];
  let text = "";
  const content = continueReading(async (receivedBytes) => {
    const response = responses[requests.length];
    requests.push(receivedBytes);
    return (async function* () {
      for (const letter of response?.text ?? "") yield Buffer.from(letter);
      if (response?.error) throw response.error;
    })();
  });
  try {
    for await (const chunk of content) text += Buffer.from(chunk).toString();
    return { text, requests, error: undefined };
  } catch (error) {
    return { text, requests, error };
  }
}

describe("continueReading()", () => {
  it("requests the rest after each connection that timed out", async () => {
    const responses: CutOffResponse[] = [
      { text: "abc", error: TIMEOUT },
      { text: "de", error: TIMEOUT },
      { text: "f" },
    ];
    expect(await read(responses)).toEqual({ text: "abcdef", requests: [0, 3, 5], error: undefined });
  });

  it("rejects if a response times out before its first byte", async () => {
    const responses: CutOffResponse[] = [
      { text: "abc", error: TIMEOUT },
      { text: "", error: TIMEOUT },
    ];
    expect(await read(responses)).toEqual({ text: "abc", requests: [0, 3], error: TIMEOUT });
  });

  it("rejects with other errors at once", async () => {
    const error = new Error("S3 returned other content");
    expect(await read([{ text: "abc", error }])).toEqual({ text: "abc", requests: [0], error });
  });
});
