import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { endpointsPage } from "./page.ts";
import { ENDPOINTS } from "./table.ts";

const SERVER_URL = "https://purse.example/api/v2";
const { html, policy } = endpointsPage(SERVER_URL);

function articleOf(name: string): string {
  return html.slice(html.indexOf(`<article id="${name}">`)).split("</article>")[0] ?? "";
}

it("shows each endpoint once, with its route, its parameters and an example", () => {
  expect(html.match(/<article /g)).toHaveLength(ENDPOINTS.length);
  for (const { name, method, path, parameters } of ENDPOINTS) {
    const article = articleOf(name);
    expect(article).toContain(`<span class="method">${method}</span>`);
    expect(article.replaceAll("<wbr>", "")).toContain(`<code>${path}</code>`);
    for (const each of parameters)
      expect(article.includes(`<dt><code>${each.name}</code></dt>`)).toBe(each.kind !== "ignored");
    expect(article).toContain("curl ");
    expect(html).toContain(`href="#${name}"`);
  }
});

it("has unique ids, and links only to them and to the OpenAPI document", () => {
  const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const links = new Set([...html.matchAll(/ href="([^"]+)"/g)].map(([, href]) => href));
  for (const link of links) if (link !== "openapi.json") expect(ids).toContain(link?.slice(1));
});

it("loads nothing and runs no scripts", () => {
  expect(html).not.toMatch(/<script|<link|<img|<iframe|<form|url\(|@import| style=| on\w+=/i);
  expect(policy).toContain("default-src 'none'");
  const style = /<style>(.*?)<\/style>/s.exec(html)?.[1] ?? "";
  expect(policy).toContain(`'sha256-${createHash("sha256").update(style).digest("base64")}'`);
});

describe("a shell example", () => {
  it("contains the required parameters and the chain", () => {
    expect(articleOf("getNativeBalance")).toContain(
      "curl -H &#39;X-API-Key: YOUR_KEY&#39; &#39;https://purse.example/api/v2/0x7de3085b3190b3a787822ee16f23be010f5f8686/balance?chain=eth&#39;",
    );
  });

  it("has the body of a POST", () => {
    expect(articleOf("runContractFunction")).toContain("-d &#39;{&quot;abi&quot;:[{");
    expect(articleOf("uploadFolder")).toContain("-d &#39;[{&quot;path&quot;");
    expect(articleOf("syncNFTContract")).toContain("curl -X PUT ");
  });
});

it("escapes the server's URL", () => {
  expect(endpointsPage('https://x/"><script>').html).not.toContain("<script>");
});
