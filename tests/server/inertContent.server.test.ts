import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pairsOf } from "../support/allCases.ts";
import { hostPurse, type Purse } from "../support/purse.ts";

/** Names under which uploaded content could be executed, applied or opened. */
const NAMES = [
  "a.js",
  "a.JS",
  "a.mjs",
  "a.cjs",
  "a.ts",
  "a.jsx",
  "a.css",
  "a.wasm",
  "a.html",
  "a.htm.",
  "a.xhtml",
  "a.svg",
  "a.svgz",
  "a.xml",
  "a.xsl",
  "a.rss",
  "a.atom",
  "a.mathml",
  "a.webmanifest",
  "manifest.json",
  "a.js.map",
  "a.importmap",
  "speculation.json",
  "a.pdf",
  "a.swf",
  "a.jar",
  "a.htc",
  "a.appcache",
  "a.vtt",
  "a.woff2",
  "a.mht",
  "a.eml",
  "a.hta",
  "index.html",
  "sw.js",
  "a.png",
  "a.txt",
  "a.csv",
  "a.md",
  "a.unknown",
  "none",
];

/** Types that browsers display without effects. */
const HARMLESS =
  /^(image\/(avif|bmp|gif|jpeg|png|webp|vnd\.microsoft\.icon)|audio\/\w+|video\/\w+|text\/(plain|csv|markdown); charset=utf-8|application\/json; charset=utf-8)$/;

/** Values of Sec-Fetch-Dest for content that a page executes or applies. */
const ACTIVE_USES = [
  "script",
  "style",
  "worker",
  "sharedworker",
  "serviceworker",
  "audioworklet",
  "paintworklet",
  "xslt",
  "manifest",
  "font",
  "json",
  "speculationrules",
  "report",
  "webidentity",
];

interface Served {
  status: number;
  headers: IncomingHttpHeaders;
}

describe("uploaded content on the app's origin", () => {
  let purse: Purse;
  let isolated: Purse;
  let uploaded: Promise<Record<string, string>> | undefined;
  beforeAll(async () => {
    [purse, isolated] = await Promise.all([
      hostPurse(),
      hostPurse({ env: { PURSE_FILES_URL: "https://files.example/server" } }),
    ]);
  });
  afterAll(() => Promise.all([purse?.remove(), isolated?.remove()]));

  function get(address: string, headers: Record<string, string> = {}, method = "GET"): Promise<Served> {
    return new Promise((resolve, reject) => {
      const sent = httpRequest(address, { method, headers }, (response) => {
        response
          .resume()
          .on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers }));
      });
      sent.on("error", reject).end();
    });
  }

  async function upload(to: Purse, name: string): Promise<{ url: string; ipfs: string; hash: string }> {
    const response = await fetch(`${to.serverUrl}/files/${encodeURIComponent(name)}`, {
      method: "POST",
      headers: {
        "X-Parse-Application-Id": to.appId,
        "X-Parse-Master-Key": to.masterKey,
        "X-Parse-File-IPFS": "true",
      },
      body: `alert(1)/* ${name} */`,
    });
    return response.json();
  }

  /** Uploads content by every route; returns the URLs by route. */
  async function waysTo(name: string): Promise<Record<string, string>> {
    const { url, ipfs, hash } = await upload(purse, name);
    const folder = await fetch(`${purse.url}/api/v2/ipfs/uploadFolder`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify([
        { path: `site/${name}`, content: Buffer.from(`alert(2) ${name}`).toString("base64") },
      ]),
    });
    const [inFolder]: { path: string }[] = await folder.json();
    const hidden = await upload(isolated, name);
    return {
      "the file": url,
      "the CID": ipfs,
      "the CID and a name": `${ipfs}?filename=${encodeURIComponent(name)}`,
      "the CID, a name and a format": `${ipfs}?filename=${encodeURIComponent(name)}&format=raw&download=false`,
      "a path below a CID": String(inFolder?.path),
      "another origin's file on this one": `${isolated.url}${new URL(hidden.url).pathname}`,
      "another origin's CID on this one": `${isolated.url}/ipfs/${hash}?filename=${encodeURIComponent(name)}`,
    };
  }

  it.each(NAMES)("named %s has no type that a page executes or applies, on any route", async (name) => {
    const requests: [method: string, headers: Record<string, string>][] = [
      ["GET", {}],
      ["HEAD", {}],
      ["GET", { Range: "bytes=0-3" }],
      ["GET", { Accept: "text/javascript,text/css,text/html" }],
      ["GET", { "If-None-Match": "*" }],
    ];
    // With `npm test`, each name begins with another one of them.
    const ways = Object.entries(await waysTo(name));
    for (const [[way, address], [method, headers]] of pairsOf(ways, requests, NAMES.indexOf(name))) {
      const served = await get(address, headers, method);
      const at = `${way}: ${JSON.stringify(headers)}`;
      expect(served.headers["x-content-type-options"], at).toBe("nosniff");
      expect(served.headers["content-security-policy"], at).toBe("sandbox; default-src 'none'");
      expect(served.headers["cross-origin-resource-policy"], at).toBe("cross-origin");
      if (served.status === 304) continue;
      expect([200, 206], at).toContain(served.status);
      const type = served.headers["content-type"];
      const isShown = served.headers["content-disposition"]?.startsWith("inline");
      if (isShown) expect(type, at).toMatch(HARMLESS);
      else expect(type, at).toBe("application/octet-stream");
    }
  });

  it.each(ACTIVE_USES)("is rejected for a page of this origin that uses it as %s", async (use) => {
    uploaded ??= waysTo("a.txt");
    for (const address of Object.values(await uploaded)) {
      const refused = await get(address, { "Sec-Fetch-Dest": use, "Sec-Fetch-Site": "same-origin" });
      expect([refused.status, refused.headers["cache-control"]]).toEqual([403, "no-store"]);
    }
  });

  it("is rejected as the script of a service worker", async () => {
    for (const address of Object.values(await waysTo("sw.js"))) {
      expect((await get(address, { "Service-Worker": "script" })).status).toBe(403);
    }
  });

  it.each(["image", "audio", "video", "empty", "document"])(
    "is served to a page of this origin that uses it as %s",
    async (use) => {
      const { url, ipfs } = await upload(purse, "a.png");
      for (const address of [url, ipfs]) {
        const served = await get(address, { "Sec-Fetch-Dest": use, "Sec-Fetch-Site": "same-origin" });
        expect(served.status).toBe(200);
      }
    },
  );

  it("is served to pages of other origins", async () => {
    const { url } = await upload(purse, "a.woff2");
    const served = await get(url, { "Sec-Fetch-Dest": "font", "Sec-Fetch-Site": "cross-site" });
    expect(served.status).toBe(200);
  });

  it("in a folder is listed without using its index.html", async () => {
    const folder = await fetch(`${purse.url}/api/v2/ipfs/uploadFolder`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify([
        { path: "index.html", content: Buffer.from("<script>1</script>").toString("base64") },
      ]),
    });
    const [file]: { path: string }[] = await folder.json();
    const address = String(file?.path).replace(/index\.html$/, "");
    const listed = await fetch(address);
    expect(await listed.text()).toContain("<li><a href=");
    expect(listed.headers.get("content-security-policy")).toBe("sandbox; default-src 'none'");
  });

  it("is served with its own type on a separate origin", async () => {
    const { url } = await upload(isolated, "a.css");
    const served = await get(`${isolated.url}${new URL(url).pathname}`, { Host: "files.example" });
    expect(served.headers["content-type"]).toBe("text/css; charset=utf-8");
  });
});
