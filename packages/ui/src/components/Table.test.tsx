import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { Table, type TableProps } from "./Table.tsx";

const TABLE: TableProps<{ id: string; size: number }> = {
  caption: "Files",
  rows: [{ id: "a", size: 3 }],
  rowKey: ({ id }) => id,
  empty: <p>No files yet</p>,
  columns: [
    { key: "id", label: "Name", cell: ({ id }) => id },
    { key: "size", label: "Size", number: true, hideOnPhone: true, cell: ({ size }) => size },
  ],
};

it("Table labels each cell with its column, for phones, where rows are cards", () => {
  const html = renderToStaticMarkup(<Table {...TABLE} />);
  expect(html).toContain('<td data-label="Name">a</td>');
  expect(html).toContain('<td class="number right minor" data-label="Size">3</td>');
  expect(html).not.toContain("Actions");
});

it("Table renders the buttons of a row in a last column with a hidden heading", () => {
  const html = renderToStaticMarkup(
    <Table {...TABLE} actions={({ id }) => <button type="button">Delete {id}</button>} />,
  );
  expect(html).toContain('<span class="visually-hidden">Actions</span></th></tr>');
  expect(html).toContain('<td class="number right"><button type="button">Delete a</button></td></tr>');
});

it("Table renders the empty state in place of a table without rows", () => {
  expect(renderToStaticMarkup(<Table {...TABLE} rows={[]} />)).toBe("<p>No files yet</p>");
});

it("Table is busy and shows placeholders while its rows load", () => {
  const html = renderToStaticMarkup(<Table {...TABLE} rows={undefined} />);
  expect(html).toContain('aria-busy="true"');
  expect(html.match(/<span class="skeleton"/g)).toHaveLength(10);
});
