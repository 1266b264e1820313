"""WGAN: five steps of the critic, with clipped weights, for each of the generator; one of these is an iteration."""

import torch
from stopwatch_inside import Stopwatch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

generator = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 784), nn.Tanh())
critic = nn.Sequential(nn.Linear(784, 256), nn.LeakyReLU(0.2), nn.Linear(256, 1))
optimizer_G = torch.optim.RMSprop(generator.parameters(), lr=5e-5)
optimizer_C = torch.optim.RMSprop(critic.parameters(), lr=5e-5)
loader = DataLoader(TensorDataset(torch.randn(6_400, 784)), batch_size=64, shuffle=True)
watch = Stopwatch()
for epoch in range(4):
    for i, (real,) in enumerate(watch.batches(loader), 1):
        optimizer_C.zero_grad()
        fake = generator(torch.randn(len(real), 64)).detach()
        (critic(fake).mean() - critic(real).mean()).backward()
        optimizer_C.step()
        for p in critic.parameters():
            p.data.clamp_(-0.01, 0.01)
        if i % 5 == 0:
            optimizer_G.zero_grad()
            (-critic(generator(torch.randn(len(real), 64))).mean()).backward()
            optimizer_G.step()
            watch.iteration()
    with watch.part("checkpoint"):
        torch.save({"G": generator.state_dict(), "C": critic.state_dict()}, f"epoch_{epoch}.pth")
watch.write()
