/** Downloads a text as a file. */
export function downloadFile(name: string, text: string, type = "text/plain"): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // Some browsers read the blob asynchronously.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
