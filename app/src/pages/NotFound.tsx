import { Link } from "@tanstack/react-router";
import { EmptyState } from "../design/states.tsx";
import { usePageTitle } from "../usePageTitle.ts";

export function NotFound() {
  usePageTitle("Not found");
  return (
    <EmptyState
      title="There is no such page"
      action={
        <Link to="/" className="button">
          Go home
        </Link>
      }
    >
      The address may be mistyped, or the page has moved.
    </EmptyState>
  );
}
