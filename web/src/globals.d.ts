/** Where pdf.js finds its character maps, fonts and decoders; set by `vite.config.ts`. */
declare const PDFJS_FILES: string;
