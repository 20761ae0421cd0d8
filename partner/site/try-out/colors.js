// Chooses light or dark as the site does: what a reader has chosen there, or what the system prefers.
const prefersDark = matchMedia('(prefers-color-scheme: dark)');

const setColors = () => {
  const chosen = localStorage.getItem('starlight-theme');
  document.documentElement.classList.toggle('dark-mode', chosen ? chosen === 'dark' : prefersDark.matches);
};

setColors();
prefersDark.addEventListener('change', setColors);
addEventListener('storage', setColors);
