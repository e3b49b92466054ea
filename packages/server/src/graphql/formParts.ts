/** Parts of a multipart request: the operation, the map, and files. */
export const MAX_PARTS = 100;

export function isForm(contentType: string | null | undefined): boolean {
  return /^multipart\/form-data\b/i.test(contentType ?? "");
}

/** A boundary of the characters of RFC 2046: parsers read others, such as backslashes, in different ways. */
const BOUNDARY = /;\s*boundary=(?:"([\w'()+,./:=? -]{1,70})"|([\w'()+,./:=?-]{1,70}))\s*(?:;|$)/i;

/**
 * Returns the content type of a form with nothing but its boundary, so that every parser finds the same parts; undefined
 * if the body has more than `MAX_PARTS`. The body is not parsed.
 */
export function formContentType(body: Buffer, contentType: string): string | undefined {
  const [, quoted, plain] = BOUNDARY.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  // Rejected when it is parsed.
  if (boundary === undefined) return "multipart/form-data";
  const separator = `--${boundary}`;
  let separators = 0;
  for (let at = body.indexOf(separator); at >= 0; at = body.indexOf(separator, at + separator.length)) {
    separators += 1;
    // The last one ends the form.
    if (separators > MAX_PARTS + 1) return undefined;
  }
  return `multipart/form-data; boundary="${boundary}"`;
}
