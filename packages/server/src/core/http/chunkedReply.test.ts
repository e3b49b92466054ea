import { createServer } from "node:http";
import { describe, expect, it } from "vitest";
import { chunkedReply, chunksLength, sendChunks } from "./chunkedReply.ts";

const MB = 1024 * 1024;

/** Returns what a client receives, and the length of the longest single write. */
async function received(chunks: readonly string[]): Promise<{ text: string; longest: number }> {
  let longest = 0;
  const server = createServer((_, response) => {
    const write = response.write.bind(response);
    response.write = (text: string) => {
      longest = Math.max(longest, text.length);
      return write(text);
    };
    response.writeHead(200, { "content-length": chunksLength(chunks) });
    void sendChunks(response, chunks);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  try {
    const address = server.address();
    if (!address || typeof address === "string") throw new Error("The server has no port");
    return { text: await (await fetch(`http://127.0.0.1:${address.port}`)).text(), longest };
  } finally {
    server.close();
  }
}

describe("sendPieces", () => {
  it("writes long chunks in slices of a megabyte", async () => {
    const { text, longest } = await received(["[", "x".repeat(3 * MB + 5), "]"]);
    expect(text === `[${"x".repeat(3 * MB + 5)}]`).toBe(true);
    expect(longest).toBe(MB);
  });

  it("keeps the two halves of a character together where one slice ends", async () => {
    const chunk = `${"x".repeat(MB - 1)}😀${"y".repeat(MB)}`;
    const { text } = await received([chunk]);
    expect(text === chunk).toBe(true);
  });
});

describe("piecesReply", () => {
  it("is a body if there is one short chunk only, and chunks otherwise", () => {
    expect(chunkedReply(["[]"])).toEqual({ status: 200, body: "[]" });
    expect(chunkedReply(["[", "]"])).toMatchObject({ chunks: ["[", "]"], body: "[]" });
    expect(chunkedReply(["x".repeat(MB + 1)]).chunks).toHaveLength(1);
  });
});
