/** What was dropped, pasted or chosen. */
export interface FileSelection {
  files: readonly File[];
  folders: readonly Folder[];
}

export interface Folder {
  name: string;
  /** `path` is below the folder, with slashes. */
  files: readonly { path: string; file: File }[];
}

/** More than this is no folder that goes in one request. */
const MAX_FILES = 1_000;

/** The files and folders of a drop or of the clipboard. To be called in its event: afterwards its data is gone. */
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

/** The folder of an input with `webkitdirectory`; undefined where it is empty. */
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
    if (found.length > MAX_FILES) throw new Error(`A folder may have ${MAX_FILES} files.`);
  }
  return found;
}

/** A reader gives them in portions, the last of which is empty. */
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
