/** Roles that components of VitePress have, and that those who hear a page need instead. */
const ROLES: readonly (readonly [component: string, found: string, needed: string])[] = [
  ["VPHome.vue", 'class="VPHome"', 'role="main" class="VPHome"'],
  // A button that contains buttons.
  ["VPLocalSearchBox.vue", 'role="button"', 'role="dialog"'],
  ["VPLocalSearchBox.vue", 'aria-expanded="true"', ""],
  ["VPLocalSearchBox.vue", 'aria-haspopup="listbox"', ""],
  // The field is what opens the list, whose options are links.
  ["VPLocalSearchBox.vue", 'aria-autocomplete="both"', ""],
  ["VPLocalSearchBox.vue", ":role=\"results?.length ? 'listbox' : undefined\"", ""],
  ["VPLocalSearchBox.vue", ":aria-selected=\"selectedIndex === index ? 'true' : 'false'\"", ""],
  ["VPLocalSearchBox.vue", 'role="option"', ""],
  [
    "VPLocalSearchBox.vue",
    ":aria-activedescendant=\"selectedIndex > -1 ? ('localsearch-item-' + selectedIndex) : undefined\"",
    "",
  ],
  ["VPLocalSearchBox.vue", "<kbd :aria-label", '<kbd role="img" :aria-label'],
];

/** Corrects the roles of the theme's components. Throws Error if one has changed. */
export function accessibleTheme() {
  return {
    name: "accessible-theme",
    enforce: "pre" as const,
    transform(code: string, id: string) {
      const roles = ROLES.filter(([component]) => id.endsWith(`/${component}`));
      return roles.length === 0
        ? undefined
        : roles.reduce((text, [component, found, needed]) => {
            if (!text.includes(found)) throw new Error(`${component} has no ${found} any more`);
            return text.replaceAll(found, needed);
          }, code);
    },
  };
}
