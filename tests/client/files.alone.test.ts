import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ParseFile, start, User } from "@purse/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NIGHTLY } from "../support/allCases.ts";
import { type BreakableProxy, startBreakableProxy } from "../support/breakableProxy.ts";
import { type PurseProcess, signUp, startPurse } from "../support/purse.ts";

const MIB = 1024 * 1024;
let purse: PurseProcess;
let proxy: BreakableProxy;
let sessionToken: string;
let calls: string[] = [];

beforeAll(async () => {
  purse = await startPurse();
  proxy = await startBreakableProxy(() => purse.port);
  sessionToken = (await signUp(purse)).sessionToken;
  await start({
    serverUrl: `http://127.0.0.1:${proxy.port}/server`,
    appId: purse.appId,
    masterKey: purse.masterKey,
    plugins: [],
    fetch: (input, init) => {
      calls.push(
        `${init?.method ?? "GET"} ${String(input)
          .replace(/.*\/server\//, "")
          .slice(0, 15)}`,
      );
      return fetch(input, init);
    },
  });
  User.enableUnsafeCurrentUser();
});
afterAll(async () => {
  await proxy?.close();
  await purse?.remove();
});

function digest(bytes: Uint8Array | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}

async function served(file: ParseFile): Promise<string> {
  return digest(Buffer.from(await file.getData(), "base64"));
}

describe("ParseFile", () => {
  it("uploads, downloads and deletes content unchanged", {
    tags: ["5.file.data-bytes", "5.file.data-base64-object"],
  }, async () => {
    const file = await new ParseFile("a b.txt", { base64: "data:text/plain;base64,aGk=" }).save({
      sessionToken,
    });
    expect(await file.getData()).toBe("aGk=");
    const answer = await fetch(file.url() ?? "");
    expect(answer.headers.get("content-type")).toMatch(/^text\/plain/);
    await file.destroy();
    expect((await fetch(file.url() ?? "")).status).toBe(404);
    expect(
      await new ParseFile("b.bin", [1, 2, 3]).save({ sessionToken }).then((saved) => saved.getData()),
    ).toBe("AQID");
  });

  it("uploads large files in chunks and reports progress", async () => {
    calls = [];
    const content = new Uint8Array(randomBytes(5 * MIB + 100));
    const parts: number[] = [];
    const file = new ParseFile("large.bin", new Blob([content]), "application/x-test", { by: "ann" });
    await file.save({ sessionToken, progress: (part) => parts.push(part) });
    expect(file.name()).toMatch(/_large\.bin$/);
    expect(calls.filter((call) => call.startsWith("PATCH"))).toHaveLength(6);
    expect(parts).toHaveLength(6);
    expect(parts.at(-1)).toBe(1);
    expect(await served(file)).toBe(digest(content));
  });

  it("uploads large files to IPFS in chunks", async () => {
    const content = new Uint8Array(randomBytes(5 * MIB + 1));
    const file = await new ParseFile("kept.bin", content).saveIPFS({ sessionToken });
    expect(file.hash()).toMatch(/^Qm/);
    expect(digest(new Uint8Array(await (await fetch(String(file.ipfs()))).arrayBuffer()))).toBe(
      digest(content),
    );
  });

  it("resumes an upload after network failures and a server restart", async () => {
    calls = [];
    const content = new Uint8Array(randomBytes(6 * MIB));
    proxy.cut(2.5 * MIB);
    let restarting: Promise<void> | undefined;
    const file = new ParseFile("broken.bin", content);
    await file
      .save({
        sessionToken,
        progress: (part) => {
          if (part >= 0.5 && part < 1) restarting ??= restart();
        },
      })
      .catch(async () => {
        // A restart may take longer than five attempts; another save() resumes the upload.
        await restarting;
        return file.save({ sessionToken });
      });
    await restarting;
    expect(calls.filter((call) => call.startsWith("POST"))).toHaveLength(1);
    expect(calls.some((call) => call.startsWith("HEAD"))).toBe(true);
    expect(await served(file)).toBe(digest(content));
  });

  it("cancel() aborts an upload, and save() resumes it", async () => {
    const content = new Uint8Array(randomBytes(5 * MIB));
    const file = new ParseFile("cancelled.bin", content);
    const saving = file.save({ sessionToken, progress: (part) => part > 0.3 && file.cancel() });
    await expect(saving).rejects.toThrow(/abort/i);
    expect(file.url()).toBeUndefined();
    calls = [];
    await file.save({ sessionToken });
    // It resumes instead of starting over.
    expect(calls[0]).toMatch(/^HEAD/);
    expect(calls.some((call) => call.startsWith("POST"))).toBe(false);
    expect(await served(file)).toBe(digest(content));
  });

  if (NIGHTLY)
    it("starts over when the server no longer has the upload", async () => {
      const content = new Uint8Array(randomBytes(5 * MIB));
      const file = new ParseFile("forgotten.bin", content);
      const saving = file.save({ sessionToken, progress: (part) => part > 0.3 && file.cancel() });
      await expect(saving).rejects.toThrow(/abort/i);
      rmSync(join(purse.dataDir, "uploads"), { recursive: true });
      mkdirSync(join(purse.dataDir, "uploads"));
      calls = [];
      await file.save({ sessionToken });
      expect(calls.slice(0, 2)).toEqual([expect.stringMatching(/^HEAD/), "POST files/resumable"]);
      expect(await served(file)).toBe(digest(content));
    });

  it("rejects with the error of the server", async () => {
    await expect(new ParseFile("a.html", [1]).save({ sessionToken })).rejects.toMatchObject({ code: 130 });
    const large = new ParseFile("a.html", new Uint8Array(5 * MIB));
    await expect(large.save({ sessionToken })).rejects.toMatchObject({ code: 130 });
  });
});

async function restart(): Promise<void> {
  await purse.kill();
  purse = await startPurse({ dataDir: purse.dataDir, port: purse.port });
}
