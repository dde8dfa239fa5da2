/** Shows a drawn map, and saves it as a file. */

const sheet = new CSSStyleSheet();
let rules = "";

/**
 * Puts a map into the page. Its rules go into a sheet of the document: the page's policy forbids `style` elements. They are scoped by
 * the map's id, which is the same for all maps of the page.
 */
export function showPicture(place: HTMLElement, svg: string): void {
  const [element = "", text = ""] = /<style>([^<]*)<\/style>/.exec(svg) ?? [];
  if (text !== rules) {
    rules = text;
    sheet.replaceSync(rules);
    if (!document.adoptedStyleSheets.includes(sheet)) document.adoptedStyleSheets.push(sheet);
  }
  const picture = new DOMParser().parseFromString(svg.replace(element, ""), "image/svg+xml");
  place.replaceChildren(document.importNode(picture.documentElement, true));
}

/** The pixels of a picture are so many times as many as those of the page, for screens and paper of high resolution. */
const PNG_SCALE = 2;

export async function toPng(svg: string): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = image.naturalWidth * PNG_SCALE;
    canvas.height = image.naturalHeight * PNG_SCALE;
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => {
      canvas.toBlob((blob) => {
        if (blob === null) reject(new Error("the browser can't make a picture of this size"));
        else resolve(blob);
      }, "image/png");
    });
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** Offers content as a file to save. */
export function saveFile(content: BlobPart, name: string, type: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
