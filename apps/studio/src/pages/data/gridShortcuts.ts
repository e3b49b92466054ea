/** Keyboard shortcuts of the grid. */
export const GRID_SHORTCUTS: readonly { keys: string[]; label: string }[] = [
  { keys: ["Shift", "↑ ↓ ← →"], label: "Select cells" },
  { keys: ["Ctrl", "C"], label: "Copy selected cells" },
  { keys: ["Ctrl", "V"], label: "Paste cells from a spreadsheet" },
  { keys: ["Enter"], label: "Edit cell" },
  { keys: ["Delete"], label: "Clear cells" },
  { keys: ["Space"], label: "Open row" },
  { keys: ["Shift", "Space"], label: "Check the selected rows" },
  { keys: ["Ctrl", "S"], label: "Save changes" },
  { keys: ["Ctrl", "Z"], label: "Undo last change" },
  { keys: ["Ctrl", "⌫"], label: "Discard all changes" },
  { keys: ["Ctrl", "I"], label: "Insert row" },
  { keys: ["Ctrl", "/"], label: "Add filter" },
  { keys: ["F"], label: "In the header: filter by column" },
  { keys: ["P"], label: "In the header: pin column" },
  { keys: ["H"], label: "In the header: hide column" },
  { keys: ["Ctrl", "Shift", "← →"], label: "In the header: move column" },
];
