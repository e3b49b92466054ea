import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type RecordingServer, startRecordingServer } from "../test/recordingServer.ts";
import { configure, connection } from "./connection.ts";
import { enableEncryptedUser, isEncryptedUserEnabled } from "./encryptedUser.ts";
import { resetIdentities } from "./storedUser.ts";
import { User } from "./user/User.ts";

/** As the old client wrote it, with the secret "hush". */
const OLD_RECORD =
  "U2FsdGVkX18JLaYmsuyAzH4kmS1P+t2XDzJ05x7q4QdyheaxRwvQdizCwdZ1D+1QAuD0E/m4osUQeUz17lyY8nKKQndL2/Iv44EkfeYhUrUfOjm60dg6VU9c/eomPHCj";

let server: RecordingServer;
const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
beforeEach(async () => {
  warn.mockClear();
  server = await startRecordingServer();
  server.connect();
});
afterEach(async () => {
  configure({ userCipher: undefined, secret: undefined });
  await server.stop();
});

const KEY = "Parse/app/currentUser";

async function keptText(): Promise<string> {
  return (await connection().storage.area.getItem(KEY)) ?? "";
}

async function storeUser(text: string): Promise<void> {
  await connection().storage.area.setItem(KEY, text);
  resetIdentities();
}

describe("the encrypted user in storage", () => {
  it("is encrypted with the secret and a new IV for each write, and decrypted on the next read", async () => {
    expect(isEncryptedUserEnabled()).toBe(false);
    enableEncryptedUser("hush");
    expect(isEncryptedUserEnabled()).toBe(true);
    await User.hydrate({ objectId: "u1", username: "Zoë", sessionToken: "r:secret" });
    const first = await keptText();
    expect(first).toMatch(/^purse1:/);
    expect(first).not.toContain("secret");
    resetIdentities();
    expect(User.current()?.get("username")).toBe("Zoë");
    await User.hydrate({ objectId: "u1", username: "Zoë", sessionToken: "r:secret" });
    expect(await keptText()).not.toBe(first);
    await User.logOut();
    expect(await keptText()).toBe("");
  });

  it("is ignored with a warning if it was tampered with or encrypted with another secret", async () => {
    enableEncryptedUser("hush");
    await User.hydrate({ objectId: "u1", sessionToken: "r:1" });
    const text = await keptText();
    const middle = Math.floor(text.length / 2);
    await storeUser(`${text.slice(0, middle)}${text[middle] === "A" ? "B" : "A"}${text.slice(middle + 1)}`);
    expect(User.current()).toBeNull();
    await storeUser(text);
    configure({ secret: "other" });
    expect(User.current()).toBeNull();
    configure({ userCipher: undefined });
    resetIdentities();
    expect(User.current()).toBeNull();
    expect(warn).toHaveBeenCalledTimes(3);
    configure({ secret: "hush" });
    enableEncryptedUser();
    resetIdentities();
    expect(User.current()?.id).toBe("u1");
  });

  it("is read from plain text and from the old client's format, and encrypted on the next write", async () => {
    await User.hydrate({ objectId: "u1", username: "ada", sessionToken: "r:1" });
    enableEncryptedUser("hush");
    resetIdentities();
    expect(User.current()?.get("username")).toBe("ada");
    await storeUser(OLD_RECORD);
    const user = User.current();
    expect([user?.getSessionToken(), user?.get("username")]).toEqual(["r:old", "Zoë"]);
    await user?.save("username", "Zoë B.");
    expect(await keptText()).toMatch(/^purse1:/);
    await storeUser(btoa("something else"));
    expect(User.current()).toBeNull();
  });

  it("requires a secret", async () => {
    enableEncryptedUser();
    await expect(User.hydrate({ objectId: "u1", sessionToken: "r:1" })).rejects.toThrow(
      "Moralis.secret must be set before a user can be encrypted",
    );
    expect(await keptText()).toBe("");
    expect(User.current()).toBeNull();
  });
});
