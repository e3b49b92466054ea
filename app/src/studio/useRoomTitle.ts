import { useEffect } from "react";

/** What the tab of the browser says. */
export function useRoomTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Studio`;
  }, [title]);
}
