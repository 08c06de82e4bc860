/** The names in a setting that is a list, such as system-namespaces: separated by commas, blanks around them do not count. */
export function namesIn(text: string): readonly string[] {
  const names = text.split(",").map((name) => name.trim());
  return names.filter((name) => name !== "");
}
