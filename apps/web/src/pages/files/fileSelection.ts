/** Files and folders that were dropped, pasted or selected. */
export interface FileSelection {
  files: readonly File[];
  folders: readonly Folder[];
}

export interface Folder {
  name: string;
  /** `path` is relative to the folder. */
  files: readonly { path: string; file: File }[];
}

/** Maximum number of files in a folder upload. */
const MAX_FILES = 1_000;

/** Reads the files and folders of a DataTransfer. Must be called during its event. */
export async function filesOfTransfer(transfer: DataTransfer): Promise<FileSelection> {
  const entries = [...transfer.items].flatMap((item) => {
    const entry = item.kind === "file" ? item.webkitGetAsEntry() : null;
    return entry ? [entry] : [];
  });
  if (entries.length === 0) return { files: [...transfer.files], folders: [] };
  const files = await Promise.all(entries.filter(isFile).map(fileOf));
  const folders = await Promise.all(entries.filter(isDirectory).map(folderOf));
  return { files, folders };
}

/** The folder of an input with `webkitdirectory`; undefined if it is empty. */
export function folderOfInput(files: readonly File[]): Folder | undefined {
  const [name] = files[0]?.webkitRelativePath.split("/") ?? [];
  if (name === undefined || name === "") return undefined;
  const readDirectory = files.map((file) => ({
    path: file.webkitRelativePath.split("/").slice(1).join("/"),
    file,
  }));
  return { name, files: readDirectory };
}

async function folderOf(entry: FileSystemDirectoryEntry): Promise<Folder> {
  return { name: entry.name, files: await readDirectory(entry, "") };
}

async function readDirectory(
  entry: FileSystemDirectoryEntry,
  path: string,
): Promise<{ path: string; file: File }[]> {
  const found: { path: string; file: File }[] = [];
  for (const each of await entriesOf(entry)) {
    if (isFile(each)) found.push({ path: path + each.name, file: await fileOf(each) });
    else if (isDirectory(each)) found.push(...(await readDirectory(each, `${path}${each.name}/`)));
    if (found.length > MAX_FILES) throw new Error(`A folder can contain at most ${MAX_FILES} files.`);
  }
  return found;
}

/** A reader returns entries in batches until an empty one. */
async function entriesOf(entry: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = entry.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((done, failed) => reader.readEntries(done, failed));
    if (some.length === 0) return all;
    all.push(...some);
  }
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((done, failed) => entry.file(done, failed));
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function isDirectory(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}
