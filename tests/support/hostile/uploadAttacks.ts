import { many } from "./graphqlAttacks.ts";
import { type RequestAttack, repeat } from "./requestAttack.ts";
import { applicationHeaders, type HostileRequest, type Target } from "./target.ts";

const MB = 1024 * 1024;
const BOUNDARY = "boundary";

const session = (target: Target, more: Record<string, string> = {}) =>
  applicationHeaders(target, { "X-Parse-Session-Token": target.sessionToken, ...more });

interface FormPart {
  name: string;
  content: string;
  filename?: string;
}

/** A multipart request of GraphQL by somebody who may upload files. */
const form = (target: Target, parts: readonly FormPart[]): HostileRequest => ({
  path: "/graphql",
  headers: session(target, { "Content-Type": `multipart/form-data; boundary=${BOUNDARY}` }),
  body: Buffer.concat([
    ...parts.map(({ name, content, filename }) =>
      Buffer.from(
        `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? "" : `; filename="${filename}"`}\r\n\r\n${content}\r\n`,
      ),
    ),
    Buffer.from(`--${BOUNDARY}--\r\n`),
  ]),
});

/** A mutation for each file. */
const createFiles = (count: number) =>
  `mutation(${many(count, (i) => `$f${i}: Upload!`)}) { ${many(count, (i) => `a${i}: createFile(input: { upload: $f${i} }) { fileInfo { name } }`)} }`;

/** An operation with files. */
const withFiles = (target: Target, count: number, content: string): HostileRequest => {
  const names = repeat(count, String);
  const variables = Object.fromEntries(names.map((name) => [`f${name}`, null]));
  return form(target, [
    { name: "operations", content: JSON.stringify({ query: createFiles(count), variables }) },
    {
      name: "map",
      content: JSON.stringify(Object.fromEntries(names.map((name) => [name, [`variables.f${name}`]]))),
    },
    ...names.map((name) => ({ name, content, filename: `${name}.txt` })),
  ]);
};

/** Multipart requests of GraphQL. */
export const FORM_UPLOADS: readonly RequestAttack[] = [
  { generator: "95 files of 240 kB", make: (target) => withFiles(target, 95, "x".repeat(240_000)) },
  {
    generator: "95 files of 240 kB, 8 times at a time",
    isConcurrent: true,
    isShort: false,
    make: (target) => repeat(8, () => withFiles(target, 95, "x".repeat(240_000))),
  },
  {
    generator: "23 MB of beginnings of a boundary",
    make: (target) => withFiles(target, 1, `\r\n--bounda`.repeat(2_300_000)),
  },
  {
    generator: "23 MB of boundaries with other ends",
    make: (target) => withFiles(target, 1, `\r\n--${BOUNDARY}x`.repeat(1_750_000)),
  },
  {
    generator: "1,000 parts",
    make: (target) =>
      form(
        target,
        repeat(1_000, (i) => ({ name: `p${i}`, content: "x" })),
      ),
  },
  {
    generator: "a file at 39,000 places",
    make: (target) =>
      form(target, [
        {
          name: "operations",
          content: JSON.stringify({
            query: createFiles(1),
            variables: { files: repeat(100_000, () => null) },
          }),
        },
        {
          name: "map",
          content: JSON.stringify({ 0: repeat(39_000, (i) => `variables.files.${i}`) }),
        },
        { name: "0", content: "x", filename: "a.txt" },
      ]),
  },
  {
    generator: "a map of deep paths",
    make: (target) =>
      form(target, [
        { name: "operations", content: JSON.stringify({ query: createFiles(1), variables: { f0: null } }) },
        { name: "map", content: JSON.stringify({ 0: repeat(30_000, () => "a.".repeat(240)) }) },
        { name: "0", content: "x", filename: "a.txt" },
      ]),
  },
  {
    generator: "an operation of 4 MB of brackets",
    make: (target) =>
      form(target, [{ name: "operations", content: `{"query":"","variables":${"[".repeat(4 * MB)}` }]),
  },
  {
    generator: "names and headers of 8 kB",
    make: (target) =>
      form(
        target,
        repeat(99, (i) => ({ name: `${"n".repeat(7_900)}${i}`, content: "x", filename: '\\"'.repeat(10) })),
      ),
  },
];

/** Uploads of files in one request. */
export const FILE_UPLOADS: readonly RequestAttack[] = [
  {
    generator: "100 files of 20 kB at a time",
    isConcurrent: true,
    make: (target) =>
      repeat(100, (i) => ({
        path: `/server/files/a${i}.txt`,
        headers: session(target),
        body: "x".repeat(20_000),
      })),
  },
  {
    generator: "20 files of 19 MB at a time",
    isConcurrent: true,
    isShort: false,
    make: (target) => {
      const body = Buffer.alloc(19 * MB, "x");
      return repeat(20, (i) => ({ path: `/server/files/a${i}.txt`, headers: session(target), body }));
    },
  },
  {
    generator: "10 files of 19 MB in base64 at a time",
    isConcurrent: true,
    isShort: false,
    make: (target) => {
      const body = `{"base64":"${"YWFh".repeat(4_900_000)}","_ApplicationId":"${target.purse.appId}","_SessionToken":"${target.sessionToken}"}`;
      return repeat(10, (i) => ({
        path: `/server/files/a${i}.txt`,
        headers: { "Content-Type": "text/plain" },
        body,
      }));
    },
  },
  {
    generator: "names and types of 8 kB",
    make: (target) =>
      repeat(20, () => ({
        path: `/server/files/${"%61".repeat(2_600)}.txt`,
        headers: session(target, { "Content-Type": `text/${"x".repeat(4_000)}` }),
        body: "x",
      })),
  },
];

const tus = (target: Target, more: Record<string, string>) =>
  session(target, { "Tus-Resumable": "1.0.0", ...more });

/** Resumable uploads. */
export const RESUMABLE_UPLOADS: readonly RequestAttack[] = [
  {
    generator: "1,000 uploads that are created only",
    isConcurrent: true,
    isShort: false,
    make: (target) =>
      repeat(1_000, () => ({
        path: "/server/files/resumable",
        headers: tus(target, { "Upload-Length": "1000000", "Upload-Metadata": "filename YS50eHQ=" }),
      })),
  },
  {
    generator: "500 uploads that do not exist",
    isConcurrent: true,
    make: (target) =>
      repeat(500, (i) => ({
        method: ["HEAD", "PATCH", "DELETE"][i % 3] ?? "HEAD",
        path: `/server/files/resumable/${i.toString(16).padStart(32, "0")}`,
        headers: tus(target, { "Upload-Offset": "0", "Content-Type": "application/offset+octet-stream" }),
      })),
  },
];
