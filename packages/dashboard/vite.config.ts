import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const PROTOCOL_SOURCE = fileURLToPath(new URL('../protocol/src/index.ts', import.meta.url))

export default defineConfig({
  base: '/',
  plugins: [react(), tailwindcss()],
  resolve: { alias: { '@runledger/protocol': PROTOCOL_SOURCE } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // The server's policy allows scripts and pictures from its own origin only, so nothing may become a data: URL script.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
})
