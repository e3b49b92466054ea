/** The keys of the grid, for the list of keys. */
export const GRID_KEYS: readonly { keys: string[]; label: string }[] = [
  { keys: ["Shift", "↑ ↓ ← →"], label: "Select cells" },
  { keys: ["Ctrl", "C"], label: "Copy the selected cells" },
  { keys: ["Ctrl", "V"], label: "Paste cells of a spreadsheet" },
  { keys: ["Enter"], label: "Edit the cell" },
  { keys: ["Delete"], label: "Take the values away" },
  { keys: ["Space"], label: "Open the row" },
  { keys: ["Shift", "Space"], label: "Pick the selected rows" },
  { keys: ["Ctrl", "S"], label: "Save changes" },
  { keys: ["Ctrl", "Z"], label: "Undo the last change" },
  { keys: ["Ctrl", "⌫"], label: "Discard all changes" },
  { keys: ["Ctrl", "I"], label: "Insert a row" },
  { keys: ["Ctrl", "/"], label: "Add a filter" },
  { keys: ["P"], label: "In the head: pin the column" },
  { keys: ["H"], label: "In the head: hide the column" },
  { keys: ["Ctrl", "Shift", "← →"], label: "In the head: move the column" },
];
