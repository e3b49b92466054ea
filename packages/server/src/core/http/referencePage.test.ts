import { createHash } from "node:crypto";
import { ENDPOINTS, openApi } from "@purse/chain";
import { describe, expect, it } from "vitest";
import { createReferencePage } from "./referencePage.ts";

const document = openApi("https://purse.example/api/v2");
const { html, policy } = createReferencePage(document);
const endpoints = Object.entries(ENDPOINTS);

function articleOf(id: string, page = html): string {
  return page.slice(page.indexOf(`<article id="${id}">`)).split("</article>")[0] ?? "";
}

it("createReferencePage() shows each operation once, with its route, its parameters and an example", () => {
  expect(html.match(/<article /g)).toHaveLength(endpoints.length);
  for (const [name, { method, path, parameters }] of endpoints) {
    const article = articleOf(name);
    expect(article).toContain(`<span class="method">${method}</span>`);
    expect(article.replaceAll("<wbr>", "")).toContain(`<code>${path}</code>`);
    expect(article.match(/<dt>/g)?.length ?? 0).toBe(Object.keys(parameters.shape).length);
    expect(article).toContain("curl ");
    expect(html).toContain(`href="#${name}"`);
  }
});

it("createReferencePage() creates unique ids, and links only to them and to the OpenAPI document", () => {
  const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const links = new Set([...html.matchAll(/ href="([^"]+)"/g)].map(([, href]) => href));
  for (const link of links) if (link !== "openapi.json") expect(ids).toContain(link?.slice(1));
});

it("createReferencePage() creates a page that loads nothing and runs no scripts", () => {
  expect(html).not.toMatch(/<script|<link|<img|<iframe|<form|url\(|@import| style=| on\w+=/i);
  expect(policy).toContain("default-src 'none'");
  const style = /<style>(.*?)<\/style>/s.exec(html)?.[1] ?? "";
  expect(policy).toContain(`'sha256-${createHash("sha256").update(style).digest("base64")}'`);
});

describe("an interactive page of createReferencePage()", () => {
  const page = createReferencePage(document, { isInteractive: true });

  it("runs only its own script, and sends requests only to its server", () => {
    expect(page.html.match(/<script/g)).toHaveLength(1);
    const withoutScript = page.html.replace(/<script>.*<\/script>/s, "");
    expect(withoutScript).not.toMatch(/<link|<img|<iframe|url\(|@import| style=| on\w+=/i);
    const script = /<script>(.*?)<\/script>/s.exec(page.html)?.[1] ?? "";
    const hash = createHash("sha256").update(script).digest("base64");
    expect(page.policy).toContain(`script-src 'sha256-${hash}'; connect-src 'self'`);
    expect(() => new Function(script)).not.toThrow();
  });

  it("has a form for each operation, with the required parameters filled in", () => {
    expect(page.html.match(/<form /g)).toHaveLength(endpoints.length);
    const form = articleOf("getNativeBalance", page.html);
    expect(form).toContain('data-method="GET" data-path="/{address}/balance"');
    expect(form).toContain(
      'name="address" data-in="path" value="0x7de3085b3190b3a787822ee16f23be010f5f8686" required',
    );
    expect(form).toContain('name="chain" data-in="query" value="" autocomplete');
    expect(articleOf("runContractFunction", page.html)).toContain('<textarea name="body" data-in="body"');
  });
});

it("createReferencePage() describes parameters with location, type, default and whether they are required", () => {
  const article = articleOf("getTransactions");
  expect(article).toContain("path, string, <span");
  expect(article).toContain(
    "query, integer from 1 to 500, optional, default 500</span> Page size; at most 500.",
  );
  expect(article).toContain("query, one of desc, asc, optional, default desc</span> Sort order by block.");
  expect(articleOf("runContractFunction")).toContain("<code>params</code></dt>");
});

it("createReferencePage() shows an example of each response, from the examples of its fields", () => {
  expect(articleOf("getBlock")).toContain("&quot;number&quot;: &quot;12386788&quot;");
  expect(articleOf("getTokenMetadata")).toContain("Response: 200 list of erc20Metadata");
  expect(articleOf("syncNFTContract")).toContain("Response: 201 accepted");
});

describe("a shell example of createReferencePage()", () => {
  it("contains the required parameters", () => {
    expect(articleOf("getNativeBalance")).toContain(
      "curl -H &#39;X-API-Key: YOUR_KEY&#39; &#39;https://purse.example/api/v2/0x7de3085b3190b3a787822ee16f23be010f5f8686/balance&#39;",
    );
    expect(articleOf("getDateToBlock")).toContain("/dateToBlock?date=2021-05-07");
  });

  it("contains the body of a POST", () => {
    expect(articleOf("runContractFunction")).toContain("-d &#39;{&quot;abi&quot;:");
    expect(articleOf("uploadFolder")).toContain("-d &#39;[{&quot;");
    expect(articleOf("syncNFTContract")).toContain("-X PUT ");
  });
});

it("createReferencePage() escapes all texts", () => {
  const attack = '"><script>';
  const info = { title: attack, description: `${attack} \`${attack}\`` };
  expect(createReferencePage({ ...openApi(`https://x/${attack}`), info }).html).not.toContain("<script>");
});

it("createReferencePage() resolves references to parameters, and shows the keys of an operation in its shell example", () => {
  const parameter = { name: "X-Trace", in: "header", description: "Id of the trace.", schema: true };
  const { html: page } = createReferencePage({
    info: { title: "Small" },
    security: [{ apiKey: [] }],
    paths: {
      "/time": {
        get: {
          operationId: "getTime",
          parameters: [{ $ref: "#/components/parameters/Trace" }],
          security: [{ session: [] }],
          responses: { 200: { content: { "application/json": {} } } },
        },
      },
    },
    components: {
      parameters: { Trace: parameter },
      securitySchemes: {
        apiKey: { type: "apiKey", in: "header", name: "X-Key" },
        session: { type: "apiKey", in: "header", name: "X-Session" },
      },
    },
  });
  expect(articleOf("getTime", page)).toContain("header, any JSON, optional</span> Id of the trace.");
  expect(articleOf("getTime", page)).toContain("curl -H &#39;X-Session: YOUR_KEY&#39; &#39;/time&#39;");
});

it("createReferencePage() accepts a document without tags, schemas and descriptions", () => {
  const { html: page } = createReferencePage({
    openapi: "3.1.0",
    info: { title: "Small" },
    paths: {
      "/time": {
        summary: "Time",
        parameters: [],
        get: { operationId: "getTime", responses: { 200: { description: "The time." } } },
      },
    },
  });
  expect(articleOf("getTime", page)).toContain("The time.");
});
