import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ProtocolError } from "@purse/protocol";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createImages } from "../images/images.ts";
import { TransformedImages } from "../images/transformedImages.ts";
import { createIpfsGateway } from "./gateway.ts";
import { type Ipfs, openIpfs } from "./ipfs.ts";
import { uploadFolder } from "./uploadFolder.ts";

const HELLO = "hello world\n";
/** What `ipfs add` prints for it, and with --cid-version=1. */
const HELLO_CID = "QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o";
const HELLO_CID_1 = "bafkreifjjcie6lypi6ny7amxnfftagclbuxndqonfipmb64f2km2devei4";
const EMPTY_CID = "QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH";
const MEBIBYTE_OF_ZEROS_CID = "QmVkbauSDEaMP4Tkq6Epm9uW75mWm136n81YH8fGtfwdHU";

let folder: string;
let ipfs: Ipfs;
let images: TransformedImages;
let server: Server;
let url: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "purse-ipfs-"));
  ipfs = await openIpfs({ folder });
  images = new TransformedImages(join(folder, "thumbnails"));
  const serve = createIpfsGateway(ipfs, createImages(images), () => "127.0.0.1");
  server = createServer((message, response) => {
    const [path = "", search = ""] = (message.url ?? "").slice("/ipfs".length).split("?");
    serve(message, response, path, search).then(
      (reply) => reply && response.writeHead(reply.status, reply.headers).end(reply.body),
      (error: unknown) => {
        const status = error instanceof ProtocolError ? (error.status ?? 400) : 500;
        response.writeHead(status).end(error instanceof Error ? error.message : "");
      },
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/ipfs`;
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await images.stop();
  await ipfs.stop();
  rmSync(folder, { recursive: true });
});

function uploads() {
  return { ipfs, gateway: url, maxFileBytes: 1_000, reserve: async () => () => undefined };
}

async function* bytes(...dependencies: (string | Uint8Array)[]) {
  for (const part of dependencies) yield Buffer.from(part);
}

describe("CIDs", () => {
  it("match those of ipfs add", async () => {
    expect(await ipfs.addFile(bytes(HELLO))).toBe(HELLO_CID);
    expect(await ipfs.addFile(bytes(HELLO), 1)).toBe(HELLO_CID_1);
    expect(await ipfs.addFile(bytes())).toBe(EMPTY_CID);
  });

  it("do not depend on the chunks of the content", async () => {
    const pieces = Array.from({ length: 1024 }, () => new Uint8Array(1024));
    expect(await ipfs.addFile(bytes(...pieces))).toBe(MEBIBYTE_OF_ZEROS_CID);
    expect(await ipfs.addFile(bytes(new Uint8Array(1024 * 1024)))).toBe(MEBIBYTE_OF_ZEROS_CID);
  });
});

describe("folders", () => {
  const hello = Buffer.from(HELLO);

  it("contain their files by name", async () => {
    const cid = await ipfs.addFolder([
      { path: "a.txt", content: hello },
      { path: "deep/b.txt", content: hello },
    ]);
    const root = await ipfs.read(cid, []);
    expect(root?.kind === "folder" && (await root.names())).toEqual(["a.txt", "deep"]);
    expect(await ipfs.read(cid, ["deep", "b.txt"])).toMatchObject({ kind: "file", cid: HELLO_CID, size: 12 });
    expect(await ipfs.read(cid, ["deep", "c.txt"])).toBeUndefined();
  });

  it.each([
    ["an empty list", []],
    ["../up", ["../up"]],
    ["an empty name", ["a//b"]],
    ["a zero byte", ["a\0b"]],
    ["a name twice", ["a", "a"]],
    ["a file that is a folder", ["a", "a/b"]],
  ])("reject %s", async (_, paths) => {
    const entries = paths.map((path) => ({ path, content: hello }));
    await expect(ipfs.addFolder(entries)).rejects.toMatchObject({ code: 107 });
  });

  it("are uploaded as base64 or JSON, and returned as URLs", async () => {
    const answer = await uploadFolder(uploads(), [
      { path: "moralis/logo.txt", content: hello.toString("base64") },
      { path: "moralis/my token.json", content: { name: "token" } },
    ]);
    expect(answer.map(({ path }) => path.replace(/ipfs\/Qm\w{44}/, "…").slice(url.length - 4))).toEqual([
      "…/moralis/logo.txt",
      "…/moralis/my%20token.json",
    ]);
    expect(await (await fetch(answer[0]?.path ?? "")).text()).toBe(HELLO);
    const token = await fetch(answer[1]?.path ?? "");
    expect(token.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(await token.json()).toEqual({ name: "token" });
  });

  it.each([
    ["no list", { path: "a", content: "" }],
    ["no path", [{ content: "" }]],
    ["content that is neither base64 nor JSON", [{ path: "a", content: "not base64!" }]],
  ])("reject %s as an upload", async (_, data) => {
    await expect(uploadFolder(uploads(), JSON.parse(JSON.stringify(data)))).rejects.toMatchObject({
      code: 107,
    });
  });

  it("reject files above the size limit before anything is stored", async () => {
    const content = Buffer.alloc(1_001).toString("base64");
    const uploading = uploadFolder(uploads(), [{ path: "a", content }]);
    await expect(uploading).rejects.toMatchObject({ code: 130 });
  });

  it("are not stored without disk space, and release their reservation afterwards", async () => {
    let reserved = 0;
    const release = () => {
      reserved = 0;
    };
    const reserve = async (bytes: number) => {
      if (bytes > 5) throw new ProtocolError(130, "no room", 507);
      reserved = bytes;
      return release;
    };
    const upload = (text: string) =>
      uploadFolder({ ...uploads(), reserve }, [{ path: "a", content: Buffer.from(text).toString("base64") }]);
    await expect(upload("123456")).rejects.toMatchObject({ status: 507 });
    expect(await upload("12345")).toHaveLength(1);
    expect(reserved).toBe(0);
  });
});

describe("pins", () => {
  it("are created for added content, which is deleted with the last pin that references it", async () => {
    const own = await openIpfs({ folder: join(folder, "pinned") });
    const large = Buffer.from(Array.from({ length: 600_000 }, (_, at) => (at * 7) % 253));
    const file = await own.addFile(bytes(large));
    const tree = await own.addFolder([
      { path: "a/large", content: large },
      { path: "b/hello", content: Buffer.from(HELLO) },
    ]);
    expect((await own.pins()).map(({ cid }) => cid)).toEqual([file, tree]);
    expect(Date.parse((await own.pins())[0]?.pinnedAt ?? "")).toBeGreaterThan(Date.now() - 60_000);

    expect(await own.unpin(tree)).toBe(true);
    expect(await own.read(tree, [])).toBeUndefined();
    expect(await own.read(HELLO_CID, [])).toBeUndefined();
    expect(await own.read(file, [])).toMatchObject({ size: 600_000 });
    expect([await own.unpin(tree), await own.pin(tree), await own.pin(file)]).toEqual([false, false, true]);

    // A part of a folder is kept if it is pinned itself.
    const again = await own.addFolder([{ path: "b/hello", content: Buffer.from(HELLO) }]);
    expect(await own.pin(HELLO_CID)).toBe(true);
    await own.unpin(again);
    expect(await own.read(HELLO_CID, [])).toMatchObject({ size: 12 });
    await own.unpin(HELLO_CID);
    await own.unpin(file);
    expect(await own.pins()).toEqual([]);
    expect(await own.read(file, [])).toBeUndefined();
  });

  it("protect content that is added while others are unpinned", async () => {
    const own = await openIpfs({ folder: join(folder, "at-once") });
    for (let round = 0; round < 10; round++) {
      const cid = await own.addFile(bytes(HELLO));
      const [, again] = await Promise.all([own.unpin(cid), own.addFile(bytes(HELLO)), own.unpin(cid)]);
      const isPinned = (await own.pins()).some((pin) => pin.cid === again);
      expect((await own.read(again, [])) !== undefined).toBe(isPinned);
    }
  });

  it.each(["", "hello", "../../etc/passwd", "bafkqaddimvwgy3zao5xxe3debi"])(
    "cannot be created for %j",
    async (cid) => {
      expect(await ipfs.pin(cid).catch((error) => error.code)).toSatisfy((it) => it === 107 || it === false);
      expect(await ipfs.unpin(cid).catch((error) => error.code)).toSatisfy(
        (it) => it === 107 || it === false,
      );
    },
  );
});

describe("the gateway", () => {
  it("serves content by both versions of its CID, immutable and sandboxed", async () => {
    await ipfs.addFile(bytes(HELLO));
    const first = await fetch(`${url}/${HELLO_CID}?filename=hello.txt`);
    expect(await first.text()).toBe(HELLO);
    expect(first.headers.get("cache-control")).toContain("immutable");
    expect(first.headers.get("x-content-type-options")).toBe("nosniff");
    expect(first.headers.get("content-security-policy")).toContain("sandbox");
    await ipfs.addFile(bytes(HELLO), 1);
    expect(await (await fetch(`${url}/${HELLO_CID_1}`)).text()).toBe(HELLO);
  });

  it("serves ranges across blocks", async () => {
    const content = Buffer.from(Array.from({ length: 700_000 }, (_, at) => at % 251));
    const cid = await ipfs.addFile(bytes(content));
    const part = await fetch(`${url}/${cid}`, { headers: { range: "bytes=262140-262150" } });
    expect(part.status).toBe(206);
    expect(part.headers.get("content-range")).toBe("bytes 262140-262150/700000");
    expect(Buffer.from(await part.arrayBuffer())).toEqual(content.subarray(262140, 262151));
    const beyond = await fetch(`${url}/${cid}`, { headers: { range: "bytes=700000-" } });
    expect([beyond.status, beyond.headers.get("content-range")]).toEqual([416, "bytes */700000"]);
  });

  it("sends pages as downloads, and lists folders without scripts", async () => {
    const cid = await ipfs.addFolder([{ path: "<b>.html", content: Buffer.from("<script>1</script>") }]);
    const page = await fetch(`${url}/${cid}/${encodeURIComponent("<b>.html")}`);
    expect(page.headers.get("content-disposition")).toMatch(/^attachment;/);
    const list = await fetch(`${url}/${cid}`);
    expect(list.headers.get("content-security-policy")).toBe("sandbox; default-src 'none'");
    expect(await list.text()).toContain("&lt;b&gt;.html</a>");
  });

  it("displays an image without a file name", async () => {
    const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
    const shown = await fetch(`${url}/${await ipfs.addFile(bytes(png))}`);
    expect(shown.headers.get("content-type")).toBe("image/png");
    expect(shown.headers.get("content-disposition")).toMatch(/^inline;/);
  });

  it("creates thumbnails of images only", async () => {
    const large = await sharp({ create: { width: 900, height: 300, channels: 3, background: "#08f" } })
      .png()
      .toBuffer();
    const cid = await ipfs.addFile(bytes(large));
    const small = await fetch(`${url}/${cid}?width=100`);
    expect(small.headers.get("content-type")).toBe("image/webp");
    expect(small.headers.get("content-security-policy")).toContain("sandbox");
    const { width, height, format } = await sharp(Buffer.from(await small.arrayBuffer())).metadata();
    expect({ width, height, format }).toEqual({ width: 128, height: 43, format: "webp" });
    const text = await fetch(`${url}/${await ipfs.addFile(bytes(HELLO))}?width=100`);
    expect(text.status).toBe(415);
    for (const wrong of ["0", "-1", "1e3", "100000", ""]) {
      expect((await fetch(`${url}/${cid}?width=${wrong}`)).status).toBe(400);
    }
  });

  it.each([
    ["content that is not stored", "QmdfTbBqBPQ7VNxZEYEj14VmRuZBkqFbiwReogJgS1zR1n", 404],
    ["content inside the CID itself", "bafkqaddimvwgy3zao5xxe3debi", 404],
    ["another kind of data", "bafyreigbtj4x7ip5legnfznufuopl4sg4knzc2cof6duas4b3q2fy6swua", 404],
    ["an invalid CID", "<script>", 400],
    ["a truncated CID", "QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5", 400],
  ])("rejects %s with a clear message", async (_, cid, status) => {
    const answer = await fetch(`${url}/${encodeURIComponent(cid)}`);
    expect(answer.status).toBe(status);
    expect(await answer.text()).toMatch(/CID/);
  });
});
