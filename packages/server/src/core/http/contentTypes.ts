/** Media types by extension that a browser may display inline. */
const INLINE_TYPES: Readonly<Record<string, string>> = {
  avif: "image/avif",
  bmp: "image/bmp",
  gif: "image/gif",
  ico: "image/vnd.microsoft.icon",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  png: "image/png",
  webp: "image/webp",
  aac: "audio/aac",
  flac: "audio/flac",
  m4a: "audio/mp4",
  mp3: "audio/mpeg",
  oga: "audio/ogg",
  ogg: "audio/ogg",
  opus: "audio/ogg",
  wav: "audio/wav",
  m4v: "video/mp4",
  mov: "video/quicktime",
  mp4: "video/mp4",
  mpeg: "video/mpeg",
  ogv: "video/ogg",
  webm: "video/webm",
  csv: "text/csv; charset=utf-8",
  json: "application/json; charset=utf-8",
  logger: "text/plain; charset=utf-8",
  md: "text/markdown; charset=utf-8",
  txt: "text/plain; charset=utf-8",
};

/** Media types that are sent as downloads: they can run code, or are for other programs. */
const ATTACHMENT_TYPES: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  htm: "text/html; charset=utf-8",
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  mjs: "text/javascript; charset=utf-8",
  shtml: "text/html; charset=utf-8",
  svg: "image/svg+xml",
  svgz: "image/svg+xml",
  xht: "application/xhtml+xml",
  xhtml: "application/xhtml+xml",
  xml: "application/xml",
  xsl: "application/xml",
  xslt: "application/xslt+xml",
  rdf: "application/rdf+xml",
  wasm: "application/wasm",
  pdf: "application/pdf",
  rtf: "application/rtf",
  doc: "application/msword",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  ppt: "application/vnd.ms-powerpoint",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  xls: "application/vnd.ms-excel",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  odt: "application/vnd.oasis.opendocument.text",
  ods: "application/vnd.oasis.opendocument.spreadsheet",
  epub: "application/epub+zip",
  gz: "application/gzip",
  tar: "application/x-tar",
  zip: "application/zip",
  "7z": "application/x-7z-compressed",
  glb: "model/gltf-binary",
  gltf: "model/gltf+json",
  otf: "font/otf",
  ttf: "font/ttf",
  woff: "font/woff",
  woff2: "font/woff2",
};

export interface ContentType {
  type: string;
  /** Whether a browser may display it inline; everything that is not known to be harmless is a download. */
  isInline: boolean;
}

const UNKNOWN_TYPE: ContentType = { type: "application/octet-stream", isInline: false };

/** Returns the content type for the extension of a file name. */
export function contentTypeOf(name: string): ContentType {
  const extension = extensionOf(name).toLowerCase();
  if (Object.hasOwn(INLINE_TYPES, extension)) return { type: INLINE_TYPES[extension] ?? "", isInline: true };
  if (Object.hasOwn(ATTACHMENT_TYPES, extension))
    return { type: ATTACHMENT_TYPES[extension] ?? "", isInline: false };
  return UNKNOWN_TYPE;
}

/** Returns the usual file extension for a media type; undefined if it is unknown. */
export function extensionFor(type: string): string | undefined {
  const [essence = ""] = type.toLowerCase().split(";", 1);
  return EXTENSION_BY_TYPE.get(essence.trim());
}

/** Returns the text after the last dot, or "". */
export function extensionOf(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot < 0 ? "" : name.slice(dot + 1);
}

/** Overrides types whose first extension in the tables is not the usual one. */
const PREFERRED_EXTENSIONS: Readonly<Record<string, string>> = {
  "image/jpeg": "jpg",
  "audio/ogg": "ogg",
  "video/mp4": "mp4",
  "text/plain": "txt",
  "text/html": "html",
};

const EXTENSION_BY_TYPE: ReadonlyMap<string, string> = new Map([
  ...Object.entries({ ...INLINE_TYPES, ...ATTACHMENT_TYPES })
    .reverse()
    .map(([extension, type]): [string, string] => [type.split(";", 1)[0] ?? "", extension]),
  ...Object.entries(PREFERRED_EXTENSIONS),
]);
