import { bodyOf, type ConsoleRequest, type Identity } from "./consoleRequest.ts";

/** The request as a command for a shell. Keys and tokens are variables of the shell. */
export function toCurl(request: ConsoleRequest, origin: string): string {
  const { url, method, body } = partsOf(request, origin);
  const lines = [
    `curl ${method === "GET" ? "" : `-X ${method} `}${quote(url)}`,
    ...Object.entries(headersOf(request.as, body !== undefined)).map(
      ([name, value]) => `-H "${name}: ${value}"`,
    ),
    ...(body === undefined ? [] : [`-d ${quote(JSON.stringify(body))}`]),
  ];
  return lines.join(" \\\n  ");
}

/** The request in JavaScript, without a library. Keys and tokens are variables of the environment. */
export function toJavaScript(request: ConsoleRequest, origin: string): string {
  const { url, method, body } = partsOf(request, origin);
  const headers = Object.entries(headersOf(request.as, body !== undefined)).map(
    ([name, value]) =>
      `    ${JSON.stringify(name)}: ${value.startsWith("$") ? `process.env.${value.slice(1)}` : JSON.stringify(value)},`,
  );
  return `const response = await fetch(${JSON.stringify(url)}, {
  method: ${JSON.stringify(method)},
  headers: {
${headers.join("\n")}
  },${body === undefined ? "" : `\n  body: JSON.stringify(${indent(JSON.stringify(body, null, 2))}),`}
});
console.log(response.status, await response.json());`;
}

function partsOf(request: ConsoleRequest, origin: string) {
  if (request.kind === "rest") {
    return { url: `${origin}/server${request.path}`, method: request.method, body: bodyOf(request.body) };
  }
  const variables = bodyOf(request.variables);
  return {
    url: `${origin}/graphql`,
    method: "POST",
    body: { query: request.query, ...(variables && { variables }) },
  };
}

function headersOf(as: Identity, hasBody: boolean): Record<string, string> {
  return {
    "X-Parse-Application-Id": "$PURSE_APP_ID",
    ...(as === "" && { "X-Parse-Master-Key": "$MASTER_KEY" }),
    ...(as !== "" && as !== "anonymous" && { "X-Parse-Session-Token": "$SESSION_TOKEN" }),
    ...(hasBody && { "Content-Type": "application/json" }),
  };
}

/** Quotes a word for a POSIX shell. */
function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

function indent(json: string): string {
  return json.replaceAll("\n", "\n  ");
}
