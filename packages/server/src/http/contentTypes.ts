/** Media types by extension, those that a browser may show first. */
const SHOWN: Readonly<Record<string, string>> = {
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
  log: "text/plain; charset=utf-8",
  md: "text/markdown; charset=utf-8",
  txt: "text/plain; charset=utf-8",
};

/** Those that are handed over as downloads: they can run something, or are for other programs. */
const DOWNLOADED: Readonly<Record<string, string>> = {
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
  /** Whether a browser may show it in place; everything that is not known to be harmless is a download. */
  isShown: boolean;
}

const UNKNOWN: ContentType = { type: "application/octet-stream", isShown: false };

/** What a name's extension stands for. */
export function contentTypeOf(name: string): ContentType {
  const extension = extensionOf(name).toLowerCase();
  if (Object.hasOwn(SHOWN, extension)) return { type: SHOWN[extension] ?? "", isShown: true };
  if (Object.hasOwn(DOWNLOADED, extension)) return { type: DOWNLOADED[extension] ?? "", isShown: false };
  return UNKNOWN;
}

/** The extension that files of a media type have; undefined where it is not known. */
export function extensionFor(type: string): string | undefined {
  const [essence = ""] = type.toLowerCase().split(";", 1);
  return BY_TYPE.get(essence.trim());
}

/** What stands after the last dot; "" where there is none. */
export function extensionOf(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot < 0 ? "" : name.slice(dot + 1);
}

/** The first extension of a type in the tables is not always the usual one. */
const USUAL: Readonly<Record<string, string>> = {
  "image/jpeg": "jpg",
  "audio/ogg": "ogg",
  "video/mp4": "mp4",
  "text/plain": "txt",
  "text/html": "html",
};

const BY_TYPE: ReadonlyMap<string, string> = new Map([
  ...Object.entries({ ...SHOWN, ...DOWNLOADED })
    .reverse()
    .map(([extension, type]): [string, string] => [type.split(";", 1)[0] ?? "", extension]),
  ...Object.entries(USUAL),
]);
