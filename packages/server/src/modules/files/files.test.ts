import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { MASTER, type RequestContext } from "../../core/authContext.ts";
import { FileUrls } from "../../data/fileUrls.ts";
import { openIpfs } from "../ipfs/ipfs.ts";
import { openDiskFileStore } from "./diskFileStore.ts";
import { type FileInfo, Files, type FileTriggerName, type Upload } from "./files.ts";
import { UploadEnvelope } from "./uploadEnvelope.ts";
import { UploadQuota } from "./uploadQuota.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const request: RequestContext = {
  auth: MASTER,
  installationId: undefined,
  context: {},
  ip: "",
  requestId: "",
};

type Trigger = (file: FileInfo) => Partial<FileInfo> | undefined;

async function setUp(triggers: Partial<Record<FileTriggerName, Trigger>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "purse-files-"));
  folders.push(folder);
  const publicUrl = "http://localhost/server";
  const files = new Files({
    store: await openDiskFileStore(join(folder, "files")),
    ipfs: await openIpfs({ folder: join(folder, "ipfs") }),
    urls: new FileUrls({ appId: "app", mountPath: "/server", publicUrl, filesUrl: undefined }),
    upload: {
      enableForPublic: true,
      enableForAnonymousUser: true,
      enableForAuthenticatedUser: true,
      fileExtensions: ["*"],
      allowsExtension: undefined,
    },
    maxUploadSize: 1_000,
    isAnonymousUser: async () => false,
    uploadQuota: new UploadQuota({ folder, maxPerOwner: 10, maxBytesPerOwner: 10_000, maxBytes: 100_000 }),
    report: (error) => expect.unreachable(String(error)),
    triggers: (name) => {
      const trigger = triggers[name];
      return trigger && (async (file) => trigger(file));
    },
  });
  const text = async (name: string) => {
    const stored = await files.open(name);
    if (!stored) return undefined;
    const pieces: Buffer[] = [];
    for await (const piece of stored.read(0, stored.size - 1)) pieces.push(Buffer.from(piece));
    return Buffer.concat(pieces).toString();
  };
  return { files, text };
}

async function* bytes(...dependencies: string[]) {
  for (const part of dependencies) yield Buffer.from(part);
}

function upload(name = "a.txt"): Upload {
  return { name, contentType: "text/plain", fileData: {}, content: { stream: bytes("hel", "lo") } };
}

describe("file triggers", () => {
  it("can reject a file, which is then not stored", async () => {
    const { files } = await setUp({
      beforeSaveFile: () => {
        throw new ProtocolError(ErrorCode.SCRIPT_FAILED, "no");
      },
    });
    await expect(files.save(request, upload())).rejects.toMatchObject({ code: 141 });
  });

  it("can change the name, content and metadata of a file", async () => {
    const { files, text } = await setUp({
      beforeSaveFile: () => ({
        name: "b.txt",
        base64: Buffer.from("other").toString("base64"),
        metadata: { by: "code" },
      }),
    });
    const { name } = await files.save(request, upload());
    expect(name).toMatch(/_b\.txt$/);
    expect(await text(name)).toBe("other");
    expect(await files.attributes(name)).toEqual({ metadata: { by: "code" }, tags: {} });
    await expect(
      (await setUp({ beforeSaveFile: () => ({ name: "../b" }) })).files.save(request, upload()),
    ).rejects.toMatchObject({ code: 122 });
  });

  it("can return a file that is stored elsewhere", async () => {
    const elsewhere = { name: "known.txt", url: "https://cdn.example/known.txt" };
    const { files } = await setUp({ beforeSaveFile: () => elsewhere });
    expect(await files.save(request, upload())).toEqual(elsewhere);
  });

  it("receive the files that have been saved and deleted", async () => {
    const events: [string, FileInfo][] = [];
    const record = (name: string) => (file: FileInfo) => {
      events.push([name, file]);
      return undefined;
    };
    const { files, text } = await setUp({
      afterSaveFile: record("saved"),
      beforeDeleteFile: record("deleting"),
      afterDeleteFile: record("deleted"),
    });
    const { name, url } = await files.save(request, upload());
    await files.remove(request, name);
    expect(await text(name)).toBeUndefined();
    expect(events.map(([event, file]) => [event, file.name, file.url])).toEqual(
      ["saved", "deleting", "deleted"].map((event) => [event, name, url]),
    );
    expect(events[0]?.[1].fileSize).toBe(5);
  });
});

describe("the envelope of an upload", () => {
  async function read(pieces: string[]) {
    const envelope = new UploadEnvelope();
    const content: Buffer[] = [];
    for await (const piece of envelope.content(bytes(...pieces))) content.push(Buffer.from(piece));
    return { content: Buffer.concat(content).toString(), rest: JSON.parse(envelope.rest.toString()) };
  }
  const json = String.raw`{"a":"\"base64\":\"x","inner":{"base64":"no"},"base64" : "aGVsbG8\/aGU/aA==","z":[1,{"base64":"no"}]}`;
  const parsed = { ...JSON.parse(json), base64: "" };
  const content = Buffer.from("aGVsbG8/aGU/aA==", "base64").toString();

  it("is parsed at any chunk boundaries", async () => {
    expect(await read([...json])).toEqual({ content, rest: parsed });
    for (let at = 1; at < json.length; at++) {
      expect(await read([json.slice(0, at), json.slice(at)])).toEqual({ content, rest: parsed });
    }
  });

  it.each([
    ["content twice", '{"base64":"AAAA","base64":"AAAA"}'],
    ["other escapes", String.raw`{"base64":"AA\nAA"}`],
    ["an end in the middle", '{"base64":"AAAA'],
    ["an incomplete group", '{"base64":"AAAAA"}'],
  ])("is rejected with %s", async (_, text) => {
    await expect(read([text])).rejects.toMatchObject({ code: 107 });
    await expect(read([...text])).rejects.toMatchObject({ code: 107 });
  });

  it("is limited in size, excluding the content", async () => {
    await expect(read([`{"x":"${"y".repeat(300_000)}"}`])).rejects.toMatchObject({ code: 116 });
  });
});
