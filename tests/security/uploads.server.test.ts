import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { casesOf } from "../support/allCases.ts";
import { hostPurse, type Purse, signUp } from "../support/purse.ts";
import { addOperator, type StudioClient, setUpStudio } from "../support/studio.ts";

const CODE = join(import.meta.dirname, "../fixtures/cloud/platform.mjs");
const PAGE = "<script>document.title='run'</script>";

/** Names that could be mistaken for another type of file, with the content type of the upload. */
const FILES: readonly (readonly [name: string, type: string])[] = [
  ["page.html", "text/html"],
  ["page.HTML", "text/plain"],
  ["page.html.", "text/plain"],
  ["page.html..", "text/plain"],
  ["page.html ", "text/plain"],
  ["page. html", "text/plain"],
  ["page.html;.png", "image/png"],
  ["page.png.html", "image/png"],
  ["page.html.png", "image/png"],
  ["page.htm\u0000.png", "image/png"],
  ["page.html%00.png", "image/png"],
  ["ｐａｇｅ.ｈｔｍｌ", "text/plain"],
  ["page\u200b.html", "text/plain"],
  ["page.ht\u00adml", "text/plain"],
  ["a.svg", "image/png"],
  ["a.SVGZ", "image/png"],
  ["a.xht", "text/plain"],
  ["a.xhtml", "text/plain"],
  ["a.shtml", "text/plain"],
  ["a.xml", "text/plain"],
  ["a.xsl", "text/plain"],
  ["a.rdf", "text/plain"],
  ["a.mathml", "text/plain"],
  ["a.js", "text/javascript"],
  ["a.mjs", "text/plain"],
  ["a.css", "text/css"],
  ["a.wasm", "application/wasm"],
  ["a.webmanifest", "application/manifest+json"],
  ["none", "text/html"],
  ["none", "TEXT/HTML"],
  ["none", " text/html"],
  ["none", "text/html;charset=utf-8"],
  ["none", "text/html\t;a=b"],
  ["none", "image/svg+xml;charset=utf-8"],
  ["none", "application/xhtml+xml"],
  ["none", "text/xml"],
  ["none", "text/html, image/png"],
  ["none", "image/png, text/html"],
  ["none", "html"],
  ["none", "text/ html"],
  ["none", "multipart/form-data; boundary=x"],
  ["none", "*/*"],
  ["none", ""],
];

const HARMLESS =
  /^(image\/(avif|bmp|gif|jpeg|png|webp|vnd\.microsoft\.icon)|audio\/\w+|video\/\w+|text\/(plain|csv|markdown); charset=utf-8|application\/json; charset=utf-8)$/;

let purse: Purse;
let user: Awaited<ReturnType<typeof signUp>>;
let editor: StudioClient;

beforeAll(async () => {
  purse = await hostPurse({ env: { PURSE_CLOUD: CODE } });
  user = await signUp(purse);
  editor = await addOperator(await setUpStudio(purse), "ed", "editor");
});
afterAll(() => purse?.remove());

/** The result of an upload: the file's URL or the error code. */
type Outcome = { url: string } | { code: number };

const base64 = (text: string) => Buffer.from(text).toString("base64");
const keys = () => ({ "X-Parse-Application-Id": purse.appId, "X-Parse-Session-Token": user.sessionToken });

async function outcomeOf(response: Response): Promise<Outcome> {
  const body = await response.json();
  expect(response.status).toBeLessThan(500);
  return "code" in body ? { code: body.code } : { url: String(body.url ?? body.result?.url) };
}

/** Returns undefined if a text cannot be a header value. */
function asHeader(text: string): string | undefined {
  return /^[\t -~]*$/.test(text) ? text : undefined;
}

/** Every route to store a file on the server. */
const ROUTES: Record<string, (name: string, type: string) => Promise<Outcome | undefined>> = {
  async "a raw body"(name, type) {
    const header = asHeader(type);
    if (header === undefined) return undefined;
    const url = `${purse.serverUrl}/files/${encodeURIComponent(name)}`;
    const headers = { ...keys(), "Content-Type": header };
    return outcomeOf(await fetch(url, { method: "POST", headers, body: PAGE }));
  },
  async "the legacy envelope"(name, type) {
    const body = {
      _ApplicationId: purse.appId,
      _SessionToken: user.sessionToken,
      _ContentType: type,
      base64: base64(PAGE),
    };
    return outcomeOf(
      await fetch(`${purse.serverUrl}/files/${encodeURIComponent(name)}`, {
        method: "POST",
        headers: { "Content-Type": "text/plain" },
        body: JSON.stringify(body),
      }),
    );
  },
  async "a resumable upload"(name, type) {
    const headers = { ...keys(), "Tus-Resumable": "1.0.0" };
    const resumableUpload = await fetch(`${purse.serverUrl}/files/resumable`, {
      method: "POST",
      headers: {
        ...headers,
        "Upload-Length": String(PAGE.length),
        "Upload-Metadata": `filename ${base64(name)},filetype ${base64(type)}`,
      },
    });
    const location = resumableUpload.headers.get("location");
    if (location === null) return outcomeOf(resumableUpload);
    const sent = await fetch(location, {
      method: "PATCH",
      headers: { ...headers, "Upload-Offset": "0", "Content-Type": "application/offset+octet-stream" },
      body: PAGE,
    });
    const url = sent.headers.get("x-parse-file-url");
    return url === null ? outcomeOf(sent) : { url };
  },
  async "cloud code for a user"(name, type) {
    const response = await fetch(`${purse.serverUrl}/functions/saveFileAs`, {
      method: "POST",
      headers: { ...keys(), "Content-Type": "application/json" },
      body: JSON.stringify({ name, type, base64: base64(PAGE) }),
    });
    const body = await response.json();
    if ("code" in body) return { code: body.code };
    return { url: `${purse.serverUrl}/files/${purse.appId}/${encodeURIComponent(body.result)}` };
  },
  async "cloud code with the master key"(name, type) {
    const response = await fetch(`${purse.serverUrl}/functions/saveFile`, {
      method: "POST",
      headers: { ...keys(), "Content-Type": "application/json" },
      body: JSON.stringify({ name, type, base64: base64(PAGE) }),
    });
    return outcomeOf(response);
  },
  async "the studio"(name, type) {
    const { body } = await editor.request("POST", "/files", {
      name,
      base64: base64(PAGE),
      ...(type !== "" && { contentType: type }),
    });
    const code = typeof body.code === "number" ? body.code : undefined;
    return code === undefined ? { url: String(body.url) } : { code };
  },
  async "a folder of IPFS"(name) {
    const response = await fetch(`${purse.serverUrl}/functions/uploadFolder`, {
      method: "POST",
      headers: { ...keys(), "Content-Type": "application/json" },
      body: JSON.stringify({ abi: [{ path: `folder/${name}`, content: base64(PAGE) }] }),
    });
    const body = await response.json();
    return "code" in body ? { code: body.code } : { url: String(body.result[0].path) };
  },
};

/** Routes on which operators may store files that users may not. */
const OPERATOR_ROUTES: ReadonlySet<string> = new Set(["cloud code with the master key", "the studio"]);
/** Names that no user may store, with any content type. */
const ACTIVE = /^[^.]*\.(s?x?html?|xht|svgz?|xml|xsl|rdf|mathml)$/i;

describe.each(Object.entries(ROUTES))("a file uploaded by %s", (route, upload) => {
  // With `npm test`, each file is uploaded by one of the routes.
  const inTurn = <T>(items: readonly T[]) =>
    casesOf(items, (_, i) => Object.keys(ROUTES)[i % Object.keys(ROUTES).length] === route);

  it.each(inTurn(FILES))("named %j with the type %j is rejected or served inert", async (name, type) => {
    const outcome = await upload(name, type);
    if (outcome === undefined) return;
    if ("code" in outcome) {
      expect([107, 122, 130, 141, 142]).toContain(outcome.code);
    } else {
      if (!OPERATOR_ROUTES.has(route) && route !== "a folder of IPFS") expect(name).not.toMatch(ACTIVE);
      const served = await fetch(outcome.url);
      expect(served.status).toBe(200);
      expect(served.headers.get("x-content-type-options")).toBe("nosniff");
      expect(served.headers.get("content-security-policy")).toBe("sandbox; default-src 'none'");
      const disposition = served.headers.get("content-disposition") ?? "";
      const contentType = served.headers.get("content-type") ?? "";
      if (disposition.startsWith("inline")) expect(contentType).toMatch(HARMLESS);
      else
        expect([disposition.slice(0, 10), contentType]).toEqual(["attachment", "application/octet-stream"]);
      expect(disposition).toMatch(/^[ -~]+$/);
    }
    expect((await fetch(`${purse.url}/health`)).status).toBe(200);
  });

  it.each(
    inTurn([
      "../up.txt",
      "..\\up.txt",
      "a\u0000.txt",
      "a\r\nX-Evil: 1.txt",
      "C:\\windows.txt",
      "/etc/passwd",
      ".hidden",
      "a/../../b.txt",
      "a".repeat(1_000),
      "\u202egpj.exe",
      "",
      " ",
      ".",
      "..",
    ]),
  )("named %j is stored in the files folder or rejected", async (name) => {
    const outcome = await upload(name, "text/plain");
    if (outcome === undefined) return;
    // IPFS folders have separate paths; paths that leave the folder are rejected everywhere.
    const isRefused = route !== "a folder of IPFS" || /\.\.|\p{Cc}|\\/u.test(name);
    if (isRefused) expect(outcome).toHaveProperty("code");
    if ("url" in outcome) expect((await fetch(outcome.url)).headers.get("x-evil")).toBeNull();
  });
});
