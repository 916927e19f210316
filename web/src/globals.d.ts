// Global constants that the build defines.
/** The base URL of the character maps, fonts and decoders of pdf.js; set by `vite.config.ts`. */
declare const PDFJS_FILES: string;
