import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const source = (name: string) => fileURLToPath(new URL(`../${name}/src/index.ts`, import.meta.url))

export default defineConfig({
  base: '/',
  plugins: [react(), tailwindcss()],
  resolve: {
    alias: {
      '@runledger/presentation': source('presentation'),
      '@runledger/protocol': source('protocol'),
    },
  },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // The server's policy allows scripts and pictures from its own origin only, so nothing may become a data: URL script.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // One file holds the code that all pages need: without HTTP/2, a browser requests only six files at once.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'shared', tags: ['$initial'] }] } } },
    // Bundled packages have no folder of their own that their licences could be in.
    license: { fileName: 'licenses.md' },
  },
})
