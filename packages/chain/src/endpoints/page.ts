import { createHash } from "node:crypto";
import { escapeHtml } from "@purse/protocol";
import { exampleOf } from "./jsonSchemas.ts";
import { GROUPS } from "./openapi.ts";
import { PAGE_STYLE } from "./pageStyle.ts";
import { ENDPOINTS, type EndpointRow, type Kind, type ParameterRow } from "./table.ts";

export interface Page {
  html: string;
  /** Value of the Content-Security-Policy header: the page runs no scripts and loads nothing. */
  policy: string;
}

const ADDRESS = "0x7de3085b3190b3a787822ee16f23be010f5f8686";
const HASH = "0x0d9f4a2b2c9b0a7e8c5e6f1d3b4a59687786a5b4c3d2e1f00f1e2d3c4b5a6978";

/** Description and example value of each kind of parameter. */
const KINDS: Readonly<Record<Exclude<Kind, "ignored">, readonly [words: string, example: string]>> = {
  chain: ["name or id of a chain", "eth"],
  address: ["address", ADDRESS],
  addresses: ["addresses, separated by commas", ADDRESS],
  hash: ["hash of 32 bytes", HASH],
  blockOrHash: ["number, hash or latest", "latest"],
  text: ["text", "example"],
  texts: ["texts, separated by commas", "USDC,DAI"],
  integer: ["integer", "1"],
  block: ["block number", "12386788"],
  time: ["date, or time since the epoch", "2021-05-07T11:08:35Z"],
  limit: ["1 to 500", "10"],
  offset: ["0 to 100000", "0"],
  cursor: ["text from a page", ""],
  format: ["decimal or hex", "decimal"],
  choice: ["one of", ""],
  choices: ["some of, separated by commas", ""],
  abi: ["ABI", '{"type":"function","name":"name","inputs":[],"outputs":[{"type":"string"}]}'],
  json: ["object", "{}"],
  files: ["list of files", '[{"path":"cat.json","content":{"name":"Cat"}}]'],
  tokenId: ["integer, decimal or hexadecimal", "7"],
  domain: ["domain", "brad.crypto"],
  days: ["1 to 3650", "7"],
  order: ["fields, separated by commas", "block_number.DESC"],
};

/** Creates a standalone HTML page that documents the endpoints. `serverUrl` is for example `https://…/api/v2`. */
export function endpointsPage(serverUrl: string): Page {
  const groups = Object.entries(GROUPS).map(([name, about]) => ({
    name,
    about,
    rows: ENDPOINTS.filter(({ group }) => group === name),
  }));
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Data service – Purse</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<a class="skip" href="#endpoints">Skip to endpoints</a>
<header>
<h1>Data service</h1>
<p>${ENDPOINTS.length} endpoints below <code>${escapeHtml(serverUrl)}</code>, with an OpenAPI description in
<a href="openapi.json">openapi.json</a>.</p>
<ul>
<li>If the server requires an API key, send it in the <code>X-API-Key</code> header.</li>
<li>Amounts and block numbers are decimal text, addresses lower-case hexadecimal, times ISO 8601 in UTC.</li>
<li>A page has <code>total</code>, <code>page</code> (from 0), <code>page_size</code>, <code>cursor</code> and
<code>result</code>. Send its <code>cursor</code> to get the next page; on the last page it is empty.</li>
<li>Errors have the body <code>{"message"}</code>.</li>
<li>Each endpoint is also a cloud function with the same name and all parameters in one JSON object.</li>
</ul>
</header>
<nav aria-label="Endpoints">
${groups
  .map(
    ({ about, rows }) => `<h2>${escapeHtml(about)}</h2>
<ul>${rows.map((row) => `<li><a href="#${row.name}">${row.name}</a></li>`).join("")}</ul>`,
  )
  .join("\n")}
</nav>
<main id="endpoints">
${groups
  .map(
    ({ name, about, rows }) => `<section class="group" aria-labelledby="group-${name}">
<h2 id="group-${name}">${escapeHtml(about)}</h2>
${rows.map((row) => renderEndpoint(row, serverUrl)).join("\n")}
</section>`,
  )
  .join("\n")}
</main>
</body>
</html>
`;
  const hash = createHash("sha256").update(PAGE_STYLE).digest("base64");
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${hash}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
  return { html, policy };
}

function renderEndpoint(row: EndpointRow, serverUrl: string): string {
  const { name, method, path, about, aliases = [] } = row;
  const shownParameters = row.parameters.filter(({ kind }) => kind !== "ignored");
  const parameters = shownParameters.map(renderParameter).join("\n");
  const aliasText = aliases.map((each) => ` Also called <code>${escapeHtml(each)}</code>.`).join("");
  return `<article id="${name}">
<h3><a href="#${name}">${name}</a></h3>
<p class="route"><span class="method">${method}</span> <code>${withLineBreaks(path)}</code></p>
<p>${escapeHtml(about)}${aliasText}</p>
${parameters && `<dl>\n${parameters}\n</dl>`}
<pre class="curl" tabindex="0" role="region" aria-label="${name} with curl"><code>${escapeHtml(curl(row, serverUrl))}</code></pre>
<details>
<summary>Response: ${row.status} ${escapeHtml(row.response)}</summary>
<pre tabindex="0" role="region" aria-label="Example response of ${name}"><code>${escapeHtml(
    JSON.stringify(exampleOf(row.response), null, 2),
  )}</code></pre>
</details>
</article>`;
}

function renderParameter(row: ParameterRow): string {
  const defaultValue = row.default === undefined ? "" : `, default ${row.default}`;
  const requirement = row.required ? '<span class="required">required</span>' : "optional";
  return `<dt><code>${escapeHtml(row.name)}</code></dt>
<dd><span class="kind">${row.in}, ${escapeHtml(kindDescription(row))}, ${requirement}${escapeHtml(defaultValue)}</span> ${escapeHtml(row.about)}</dd>`;
}

function kindDescription({ kind, choices = [] }: ParameterRow): string {
  if (kind === "ignored") return "";
  const [description] = KINDS[kind];
  return choices.length === 0 ? description : `${description}: ${choices.join(", ")}`;
}

/** A shell command with only the required parameters. */
function curl(row: EndpointRow, serverUrl: string): string {
  const requiredParameters = row.parameters.filter(({ required, name }) => required || name === "chain");
  const sampleOf = ({ kind, choices, default: defaultValue }: ParameterRow) =>
    kind === "ignored" ? "" : String(defaultValue ?? choices?.[0] ?? KINDS[kind][1]);
  const path = row.path.replaceAll(/\{(\w+)\}/g, (_, name) => {
    const found = requiredParameters.find((each) => each.name === name);
    return found ? encodeURIComponent(sampleOf(found)) : "";
  });
  const query = new URLSearchParams(
    requiredParameters
      .filter((each) => each.in === "query")
      .map((each): [string, string] => [each.name, sampleOf(each)]),
  ).toString();
  const inBody = requiredParameters.filter((each) => each.in === "body");
  const body = inBody.map((each) =>
    typeof row.body === "object" ? sampleOf(each) : `{"${each.name}":[${sampleOf(each)}]}`,
  );
  return [
    "curl",
    ...(row.method === "GET" ? [] : [`-X ${row.method}`]),
    "-H 'X-API-Key: YOUR_KEY'",
    ...body.map((each) => `-H 'Content-Type: application/json' -d '${each}'`),
    `'${serverUrl}${path}${query && `?${query}`}'`,
  ].join(" ");
}

/** Allows line breaks after slashes. */
function withLineBreaks(path: string): string {
  return escapeHtml(path).replaceAll("/", "/<wbr>");
}
