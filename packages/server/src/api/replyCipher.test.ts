import { describe, expect, it } from "vitest";
import { createReplyCipher, decryptReplies } from "./replyCipher.ts";

const REPLY = { status: 201, body: '{"sessionToken":"r:secret"}' };

describe("a stored reply", () => {
  it("can be read again by the request that it was for", () => {
    const text = createReplyCipher("id-1", "content").encrypt(JSON.stringify(REPLY));
    expect(text).not.toContain("secret");
    const answer = JSON.stringify([{ text, echo: { votes: 3 } }]);
    expect(decryptReplies(answer, createReplyCipher("id-1", "content"))).toEqual([
      { ...REPLY, values: { votes: 3 } },
    ]);
  });

  it.each([
    ["another id", "id-2", "content"],
    ["another content", "id-1", "other"],
  ])("cannot be read with %s", (_, id, content) => {
    const text = createReplyCipher("id-1", "content").encrypt(JSON.stringify(REPLY));
    expect(decryptReplies(JSON.stringify([{ text }]), createReplyCipher(id, content))).toBeUndefined();
  });

  it("is encrypted differently each time", () => {
    const cipher = createReplyCipher("id-1", "content");
    expect(cipher.encrypt("same")).not.toBe(cipher.encrypt("same"));
  });

  it("is missing while the request is being executed", () => {
    expect(decryptReplies("", createReplyCipher("id-1", "content"))).toBeUndefined();
  });
});
