export function Address({ value = "" }: { value?: string }) {
  return (
    <code title={value}>
      {value.slice(0, 6)}…{value.slice(-4)}
    </code>
  );
}
