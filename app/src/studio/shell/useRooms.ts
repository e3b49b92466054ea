import { ROOMS, type Room } from "../rooms.ts";
import { useMay } from "../StudioContext.tsx";

/** The rooms that the operator may enter. */
export function useRooms(): readonly Room[] {
  const isOwner = useMay("owner");
  const isEditor = useMay("editor");
  return ROOMS.filter(({ needs }) => (needs === "owner" ? isOwner : needs === "editor" ? isEditor : true));
}
