import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { defaultHashConcurrency, isBcrypt, Passwords } from "./password.ts";

describe("passwords", () => {
  it("match their own hash and no other", async () => {
    const passwords = new Passwords();
    const hash = await passwords.hash("correct horse", { ip: "10.0.0.1" });
    expect(await passwords.verify(hash, "correct horse", { ip: "10.0.0.1" })).toBe(true);
    expect(await passwords.verify(hash, "wrong horse", { ip: "10.0.0.1" })).toBe(false);
    expect(await passwords.verify(undefined, "a password that nobody has", { ip: "10.0.0.1" })).toBe(false);
    expect(isBcrypt(hash)).toBe(false);
  });

  it("leave threads free for reading files while many of them wait to be hashed", async () => {
    const passwords = new Passwords({ concurrency: 2, maxWaiting: 1_000 });
    const finished: string[] = [];
    const hashes = Array.from({ length: 20 }, (_, i) =>
      passwords.hash(`password ${i}`, { ip: `10.0.0.${i}` }).then(() => finished.push("hash")),
    );
    await readFile(import.meta.filename).then(() => finished.push("file"));
    await Promise.all(hashes);
    // All of libuv's threads would be busy with the first of them otherwise.
    expect(finished.indexOf("file")).toBeLessThan(6);
  });

  it("are hashed by fewer threads than libuv has", () => {
    expect(defaultHashConcurrency()).toBeGreaterThanOrEqual(1);
    expect(defaultHashConcurrency()).toBeLessThanOrEqual(2);
  });

  it("of one address do not block those of another", async () => {
    const passwords = new Passwords({ concurrency: 1, maxWaiting: 8 });
    const greedy = Array.from({ length: 30 }, () =>
      passwords.verify(undefined, "guess", { ip: "10.0.0.1" }).then(
        () => "judged",
        ({ status }) => status,
      ),
    );
    const other = passwords.verify(undefined, "guess", { ip: "10.0.0.2" });
    const order = await Promise.race([other.then(() => "other"), Promise.all(greedy).then(() => "greedy")]);
    expect(order).toBe("other");
    const outcomes = await Promise.all(greedy);
    // One was running and a quarter of the queue was waiting.
    expect(outcomes.filter((each) => each === "judged")).toHaveLength(3);
    expect(outcomes.filter((each) => each === 429)).toHaveLength(27);
  });
});
