import { type RequestAttack, repeat } from "./requestAttack.ts";
import { applicationHeaders, type HostileRequest } from "./target.ts";

const FORM_TYPE = { "Content-Type": "application/x-www-form-urlencoded" };

const form =
  (text: string, headers: Record<string, string> = {}) =>
  (): HostileRequest => ({
    path: "/server/classes/Hostile",
    headers: { ...FORM_TYPE, ...headers },
    body: text,
  });

export const FORMS: readonly RequestAttack[] = [
  { generator: "a& × 9,900,000", make: form("a&".repeat(9_900_000)) },
  { generator: "a& × 100,000", make: form("a&".repeat(100_000)) },
  { generator: "a& × 1,000", make: form("a&".repeat(1_000)) },
  { generator: "distinct fields", make: form(repeat(20_000, (i) => `k${i}=v`).join("&")) },
  { generator: "percent signs", make: form(`a=${"%41".repeat(87_000)}`) },
  { generator: "broken percent signs", make: form(`a=${"%zz".repeat(87_000)}`) },
  { generator: "pluses", make: form(`a=${"+".repeat(260_000)}`) },
  { generator: "lists", make: form("a[]=1&".repeat(999)) },
  { generator: "20 MB in one field", make: form(`a=${"x".repeat(20_000_000)}`) },
  { generator: "JSON as a form", make: form(`{"a":[${"[],".repeat(6_000_000)}[]]}`) },
  {
    generator: "forms of somebody who knows the application",
    make: (target) => ({ ...form("a&".repeat(130_000))(), headers: applicationHeaders(target, FORM_TYPE) }),
  },
];

export const HEADERS: readonly RequestAttack[] = [
  {
    generator: "a query string of 15 kB of fields",
    make: (target) =>
      repeat(20, () => ({
        method: "GET",
        path: `/server/classes/Probe?${"a&".repeat(7_000)}`,
        headers: applicationHeaders(target),
      })),
  },
  {
    generator: "a where of 15 kB",
    make: (target) =>
      repeat(20, () => ({
        method: "GET",
        path: `/server/classes/Probe?where=${encodeURIComponent(`{"a":{"$in":[${"[],".repeat(1_200)}[]]}}`)}`,
        headers: applicationHeaders(target),
      })),
  },
  {
    generator: "a context of 15 kB",
    make: (target) =>
      repeat(20, () => ({
        method: "GET",
        path: "/server/classes/Probe",
        headers: applicationHeaders(target, {
          "X-Parse-Cloud-Context": `{"a":${"[".repeat(7_000)}${"]".repeat(7_000)}}`,
        }),
      })),
  },
  {
    generator: "metadata of a file of 15 kB",
    make: (target) =>
      repeat(20, () => ({
        path: "/server/files/a.txt",
        headers: applicationHeaders(target, { "X-Parse-File-Metadata": `{"a":[${"{},".repeat(4_500)}{}]}` }),
        body: "x",
      })),
  },
  {
    generator: "metadata of an upload of 15 kB",
    make: (target) =>
      repeat(20, () => ({
        path: "/server/files/resumable",
        headers: applicationHeaders(target, {
          "Tus-Resumable": "1.0.0",
          "Upload-Length": "1",
          "Upload-Metadata": `${"a ,".repeat(4_500)}filename YQ==`,
        }),
      })),
  },
  {
    generator: "a path of slashes and dots",
    make: (target) =>
      repeat(20, () => ({
        method: "GET",
        path: `/server${"/./".repeat(4_500)}`,
        headers: applicationHeaders(target),
      })),
  },
  {
    generator: "many segments",
    make: (target) =>
      repeat(20, () => ({
        method: "GET",
        path: `/server/classes${"/a".repeat(7_000)}`,
        headers: applicationHeaders(target),
      })),
  },
  {
    generator: "cookies",
    make: () =>
      repeat(20, () => ({
        method: "GET",
        path: "/studio/api/session",
        headers: { Cookie: "a=b; ".repeat(3_000) },
      })),
  },
  {
    generator: "a content type of spaces",
    make: (target) =>
      repeat(20, () => ({
        path: "/server/classes/Hostile",
        headers: {
          ...applicationHeaders(target),
          "Content-Type": `${"; ".repeat(3_000)}${" ".repeat(8_000)}x`,
        },
        body: "{}",
      })),
  },
  {
    generator: "a range of a file",
    make: (target) =>
      repeat(20, () => ({
        method: "GET",
        path: `/server/files/${target.purse.appId}/none.txt`,
        headers: { Range: `bytes=${"0-1,".repeat(3_500)}` },
      })),
  },
];
