import { describe, expect, it } from "vitest";
import { ANONYMOUS, internalRequest } from "../../core/authContext.ts";
import { anonymousAdapter } from "./anonymous.ts";

const CHECK = { request: internalRequest(ANONYMOUS), user: undefined, isSignedIn: false };

describe("anonymous IDs in production", () => {
  const adapter = anonymousAdapter(16);

  it("are accepted if they cannot be guessed", async () => {
    const id = "0123456789abcdef";
    expect(await adapter.validateAuthData({ id, more: 1 }, CHECK)).toEqual({ stored: { id } });
  });

  it.each([["1"], [""], [1], [null]])("are rejected if they can be guessed: %j", async (id) => {
    await expect(adapter.validateAuthData({ id }, CHECK)).rejects.toMatchObject({ code: 101 });
  });
});
