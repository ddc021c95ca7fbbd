/** The theme without its web font: the page takes the system's, as the console does. */
export { default } from 'vitepress/theme-without-fonts'
