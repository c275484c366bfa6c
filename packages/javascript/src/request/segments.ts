/** Whether values make a dot segment of a path, alone or with the text around them. */
export function makesDots(template: string, url: string): boolean {
  return dotSegments(url) > dotSegments(template);
}

/** How many segments of a path, or of its template, a URL parser treats as dot segments, encoded ones included. */
function dotSegments(url: string): number {
  return url.split(/{?[?#]/)[0]!.split("/").filter((part) => /^(\.|%2e){1,2}$/i.test(part)).length;
}
